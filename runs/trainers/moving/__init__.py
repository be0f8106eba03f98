"""Scenes that move: a canonical set of Gaussians, and a network that moves it in time."""
