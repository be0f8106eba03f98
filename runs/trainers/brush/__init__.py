"""Brush: exports named by iteration, and the arguments of its command line."""
