"""Reads the tools of a remote MCP server into a catalog.

The modules that speak to servers bring in the protocol's client, which takes a quarter of a second to import:
import them where they are used.
"""
