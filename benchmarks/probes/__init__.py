"""How often probes are right, and what they cost: `python -m benchmarks.probes`."""
