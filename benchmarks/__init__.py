"""Speed of femu against its peers, measured in one run."""
