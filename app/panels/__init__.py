"""One panel a file; panels are blind to each other and act through the session."""
