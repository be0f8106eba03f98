"""gsplat's example trainers: the simple one, and the one for driving scenes."""
