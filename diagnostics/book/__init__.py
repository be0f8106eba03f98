"""The catalogue and the guide as pages for a browser."""
