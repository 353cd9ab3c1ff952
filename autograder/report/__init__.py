"""The report of a whole class as one page."""
