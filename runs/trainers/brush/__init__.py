"""Brush."""
