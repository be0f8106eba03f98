"""SLAM systems that build Gaussians: what they saved, and the camera poses that they estimated."""
