"""What several tests build: small files, runs and scenes."""
