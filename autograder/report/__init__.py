"""Write the report of a whole class as one page."""
