"""gaussian-splatting-lightning."""
