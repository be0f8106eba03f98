"""What the trainer does by itself, told run by run: its values, rules and intentions, its events, and how it spells options."""
