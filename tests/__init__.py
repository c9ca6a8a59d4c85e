"""The tests, in folders like those of the package; a helper stands beside its users."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The folder of the project."""
