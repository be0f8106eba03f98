"""Splat files without a trainer's folder."""
