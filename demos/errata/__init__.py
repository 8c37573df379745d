"""The errata of each demo: what the notes say, and what is measured."""
