"""Steps of a training done wrong, as a bug would do them; tests/lab/faults tells which belongs to which fault."""
