"""SQL text: read, taken apart, and what its names and expressions stand for."""
