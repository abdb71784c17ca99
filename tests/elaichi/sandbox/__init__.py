"""The sandbox, over HTTP."""
