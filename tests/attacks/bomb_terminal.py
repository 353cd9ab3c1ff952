"""Print what clears a terminal, names its window, opens a link and turns the direction of the text."""
print("\x1b[2J\x1b]0;title\x07\x9b31m\x1b]8;;http://example.org\x07<script>alert(1)</script>\u202e\u2066 \ud800 \x00")
