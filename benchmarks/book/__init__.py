"""Pictures for the catalogue's pages, taken from trainings of the lab: sick beside healthy."""
