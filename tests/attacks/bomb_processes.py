"""Start processes in every way that there is, and only once the first was denied, many."""
import multiprocessing
import subprocess


def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return pid


def raw():
    pid = call("clone", 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


denied(fork, raw, lambda: call("clone3", ctypes.create_string_buffer(88), 88), os.forkpty,
       lambda: subprocess.run(["/bin/true"]), lambda: subprocess.Popen([sys.executable, "-c", "1"]),
       lambda: os.posix_spawn("/bin/true", ["true"], {}), lambda: os.execv(sys.executable, ["python"]),
       lambda: multiprocessing.get_context("fork").Process(target=print).start(),
       lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
       lambda: os.popen("id").read())
if os.system("true") == 0:
    broke_in("os.system")
for _ in range(200):
    try:
        broke_in(fork())
        break
    except OSError:
        continue
