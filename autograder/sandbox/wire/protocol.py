"""The messages between the judge and the zygote: small, and sent over a socket that keeps them apart."""

import struct

REQUEST = struct.Struct(">cQ")            # judge -> zygote: a kind and a number
FORK = b"c"                               # with one end of a channel: fork a child under this id
PREPARE = b"p"                            # with a file: run the lesson's code in it, which children know by this number
REPORT = struct.Struct(">cQid")           # zygote -> judge: a kind, the id, a number, and seconds of processor time
OPENED = b"o"                             # with a pidfd; the number is the process id; what the fork took
ENDED = b"e"                              # the number is the wait status; what it took in all, and to take it away
FAILED = b"f"                             # the number is the errno of the fork
