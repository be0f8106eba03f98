"""Small widgets that panels share."""
