"""The rooms behind the lesson: report, recipes, cache, NumPy models, check, export."""
