"""LichtFeld Studio, in the layouts of its eras."""
