"""What is wrong with a run, why, and what to do about it."""
