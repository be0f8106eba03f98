"""INRIA's trainer and the forks that kept its folder."""
