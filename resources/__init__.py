"""Catalogue, shaders, icons, fonts and the sample run; imports nothing."""
