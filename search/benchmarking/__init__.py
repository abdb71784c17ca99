"""What a search costs: time to build, memory, and latency, from a hundred tools to a hundred thousand. No framework."""
