"""Faults planted into tzconv one at a time, to see which tests notice them.

``python -m tests.faults contexts`` records which test reaches which line, ``plant`` plants a sample
of faults and runs the tests that reach their lines, ``choose`` picks the core that ``make test``
runs. CONTRIBUTING.md says when to run which. None of it is part of a test run.
"""
