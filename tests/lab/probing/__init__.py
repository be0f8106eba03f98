"""What each probe should find in the lab: one file per probe, with a `MEANT`."""
