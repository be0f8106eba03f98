"""One file per analytic scene: its solids, lights and capture."""
