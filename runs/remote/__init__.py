"""Runs on other machines, mirrored as local stand-ins of which only the parts that are read are fetched."""
