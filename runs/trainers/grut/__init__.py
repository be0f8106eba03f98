"""3DGRUT of NVIDIA: its settings, checkpoints and last export."""
