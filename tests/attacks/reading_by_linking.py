"""Make a hidden file readable by another name."""
library = os.path.dirname(os.__file__)
denied(lambda: os.symlink("/etc/passwd", "/passwd"), lambda: os.link("/etc/passwd", f"{library}/passwd.py"),
       lambda: os.symlink("/etc/passwd", f"{library}/passwd.py"), lambda: os.rename(os.__file__, f"{library}/so.py"),
       lambda: os.mkfifo("/pipe"), lambda: os.mknod("/node"))
