"""Formats in which finished splats are passed on; most store fewer bits and order the splats anew."""
