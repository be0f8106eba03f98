"""What a run may be compared with: its own earlier phases, runs that the user chose or recorded, and published end points."""
