"""Tests of diagnostics.practice."""
