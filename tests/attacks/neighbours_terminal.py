"""Type into the terminal of the one who grades."""
import fcntl
import termios

denied(*[lambda number=number: fcntl.ioctl(number, termios.TIOCSTI, b"x") for number in range(4)],
       lambda: fcntl.ioctl(0, termios.TIOCSTI | 2**32, b"x"), lambda: fcntl.ioctl(0, termios.TIOCLINUX, b"\3"),
       lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), lambda: open("/dev/tty", "w"), os.openpty)
