"""Redshift: its SQL is rewritten and linted; tzconv opens no connection to it."""
