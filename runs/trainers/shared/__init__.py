"""What the readers of several families share."""
