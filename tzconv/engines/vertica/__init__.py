"""Vertica."""
