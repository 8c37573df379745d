"""What goes wrong in each task, by subject; bank.py reads them all."""
