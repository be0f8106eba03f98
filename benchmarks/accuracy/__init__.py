"""Accuracy of the diagnosis, measured on the runs of the lab."""
