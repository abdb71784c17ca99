"""Files that calls bring back or send: how they are kept, opened and let go of."""
