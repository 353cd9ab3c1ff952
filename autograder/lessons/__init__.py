"""The lessons of this installation, a folder each; `shared` is what several of them need."""

#: the lesson that is meant where nobody says which
DEFAULT = "multihead"
