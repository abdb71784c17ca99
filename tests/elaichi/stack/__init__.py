"""The local stack, with real processes."""
