"""One reader per file format; each turns bytes into plain values and refuses what it cannot read with a sentence."""
