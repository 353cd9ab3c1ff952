"""The lessons of this installation, one folder each; `kit` is what they are written with."""

#: the lesson that is used if none is named
DEFAULT = "multihead"
