"""What a new tz release makes wrong: which times, which stored answers, and the SQL for repair.

``windows`` compares two releases, ``objects`` reads the catalog of a database, ``rollups`` counts
and recomputes the tables that the configuration names. Nothing is changed here.
"""
