"""The tests, in folders like those of the package; a helper stands beside its users."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
"""The folder of the project."""

HELPERS = (
    "command",
    "corpora",
    "databases",
    "waiting",
    "refresher.kills",
    "engines.spark.loaded",
    "dbt_package.builds",
)
# as in test modules, a failing assertion shows its values
pytest.register_assert_rewrite(*(f"tests.{name}" for name in HELPERS))
