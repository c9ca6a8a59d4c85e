"""Time zones: the rules of a tz release, and which offset a zone has when."""
