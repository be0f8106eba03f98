"""Tests of the benchmark of floaters and ghosts."""
