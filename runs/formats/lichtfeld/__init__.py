"""LichtFeld Studio's own files: its resumable checkpoint and its project container."""
