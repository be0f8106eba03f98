"""Small pure statistics over arrays and series; no run, no opinion."""
