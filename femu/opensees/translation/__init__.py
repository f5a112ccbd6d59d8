"""From femu to OpenSees: components, models and analyses as commands of openseespy."""
