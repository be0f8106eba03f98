"""Facts drawn from one run and one range; each file holds one family, each fact is computed once and lazily."""
