"""gsplat's example trainers."""
