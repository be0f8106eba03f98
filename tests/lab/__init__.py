"""The fault lab: real small trainings with one known fault each, and what a diagnosis of them must say."""
