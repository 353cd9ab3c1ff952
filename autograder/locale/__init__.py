"""Words in the student's language, and the catalogues they come from."""
