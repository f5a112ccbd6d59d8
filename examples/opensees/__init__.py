"""Scripts for openseespy in the style of its documented examples; each runs on both engines."""
