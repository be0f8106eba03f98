"""3DGRUT of NVIDIA."""
