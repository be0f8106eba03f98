"""Pictures and measurements as arrays, on the CPU, beside a slow readable twin."""
