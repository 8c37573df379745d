"""What a person sees: playing a demo, exploring, handouts, the words of the screen."""
