"""Questions that no file answers, put to a run by a short optimisation."""
