"""nerfstudio's Gaussians (splatfacto)."""
