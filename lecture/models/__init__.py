"""Networks as data, their cache, and what runs them: in NumPy, and in torch to train."""
