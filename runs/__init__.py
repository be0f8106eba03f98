"""What a run holds: checkpoints, series, cameras, photos, settings. No Qt, no GL, no opinions."""
