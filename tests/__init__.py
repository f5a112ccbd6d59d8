"""Tests of femu. A package, so that ``python -m tests.campaign`` finds this folder and no other of
that name."""
