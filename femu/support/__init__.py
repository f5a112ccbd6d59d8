"""What every other room may use: errors, arguments, tables, processes."""
