"""The lessons of this installation, a folder each; `kit` is what they are written with."""

#: the lesson that is meant where nobody says which
DEFAULT = "multihead"
