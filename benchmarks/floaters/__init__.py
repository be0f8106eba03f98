"""Scores of single Gaussians, measured on floaters and ghosts that were planted into trained scenes or grew in spoiled ones."""
