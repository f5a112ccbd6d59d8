"""Models for other programs and other people: TOML text, and scripts for openseespy.

`femu.model.model.Model.to_toml`, `from_toml` and `to_opensees` are the way in.
"""
