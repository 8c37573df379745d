"""What guards the screen: check, mutation, training again from other seeds."""
