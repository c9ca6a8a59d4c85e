"""Exact UTC-to-local conversion tables from IANA tzdata, and SQL rewritten to use them."""
