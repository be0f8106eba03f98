"""One recogniser and reader per family of trainers; `TRAINERS` is their order."""
