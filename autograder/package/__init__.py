"""Where `integrations` was until 0.1: workflows that students' repositories hold still start it here."""
