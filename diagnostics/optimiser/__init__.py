"""Short optimisations: a compact trainer, and what it needs."""
