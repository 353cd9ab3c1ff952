"""The place of `integrations` until 0.1: workflows in students' repositories still start it here."""
