"""Three invented products over HTTP, to try the gateway on and to test it with: in memory, no Django."""
