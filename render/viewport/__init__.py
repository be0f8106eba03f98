"""Pictures on the screen: one small interface, a GL back-end and a software back-end."""
