"""Public failure reports, rebuilt as small seeded folders: what a good debugger says of each, and what it must not say."""
