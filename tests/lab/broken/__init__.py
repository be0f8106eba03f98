"""Steps of the training recipe done wrong, as a bug would do them; which of them belongs to which fault is told in tests/lab/faults."""
