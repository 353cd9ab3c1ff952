"""Escape by a root folder below the root folder.

cell: tampering
"""
os.chroot("/")
broke_in("nothing happened")
