"""``python -m tzconv``."""

from tzconv.cli import main

main()
