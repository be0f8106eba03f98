"""gaussian-splatting-lightning: INRIA's folder with PyTorch Lightning's checkpoints."""
