"""Speed against named peers, each as a ratio in one run."""
