"""Makes the frames and batches that other folders' tests share importable from here."""

import sys
from pathlib import Path

for folder in ("batch", "."):
    sys.path.insert(0, str(Path(__file__).parents[1] / folder))
