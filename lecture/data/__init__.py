"""What models read: tasks, phrases, texts, byte-pair encoding."""
