"""Lineage: who became whom between two saved states of one run."""
