"""Pictures of models and results. Each function draws on the axes it is given, or on new ones, and returns them."""
