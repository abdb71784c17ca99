"""REST, at /api/v1: the registry's operations for programs that speak no MCP."""
