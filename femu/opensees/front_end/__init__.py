"""The commands of openseespy, over a model and analyses of femu."""
