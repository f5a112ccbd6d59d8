"""Files in general: HDF5 and TOML texts; their contents belong to other rooms."""
