"""What is measured of the models, in NumPy; no room here trains with torch."""
