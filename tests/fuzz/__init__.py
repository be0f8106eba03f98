"""Fuzzing of every parser: whatever bytes a file holds, reading it ends in a value or in one `RunError`."""
