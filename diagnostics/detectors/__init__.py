"""One file per family of patterns; importing this package registers them all."""
