"""Change the libraries that every later student gets."""
import numpy as np

module, library = np.__file__, os.__file__
denied(lambda: open(module, "a"), lambda: open(library, "r+"), lambda: os.truncate(library, 0), lambda: os.remove(module),
       lambda: os.chmod(library, 0o777), lambda: os.utime(library, (0, 0)), lambda: os.rename(module, module + ".old"),
       lambda: os.rmdir(os.path.dirname(library) + "/__pycache__"), lambda: os.replace(library, module),
       lambda: open(os.path.dirname(module) + "/__pycache__/x.pyc", "wb"), lambda: os.setxattr(library, "user.x", b"1"),
       lambda: os.ftruncate(os.open(library, os.O_RDONLY), 0), lambda: os.posix_fallocate(os.open(library, os.O_RDONLY), 0, 9))
