"""What a shell completes: the commands and their options as plain data, and one writer per shell."""
