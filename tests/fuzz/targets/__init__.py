"""The parsers under test, one file per area; each has a tuple `TARGETS`."""
