"""What is checked before a command leaves, and before a measurement is accepted."""
