"""One Report value, written as PDF or JSON."""
