"""What training holds in GPU memory: a model checked against published measurements, forecasts, and causes of a crash."""
