"""Tests of what the benchmarks count; nothing here measures a time."""
