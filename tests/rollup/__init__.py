"""Tests of the rollups by UTC bucket."""
