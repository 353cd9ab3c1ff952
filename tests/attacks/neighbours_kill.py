"""Kill, stop or wake anyone: the zygote, the judge, the process group, everyone."""
import signal

denied(lambda: os.kill(os.getppid(), signal.SIGKILL), lambda: os.kill(1, signal.SIGKILL),
       lambda: os.kill(JUDGE, signal.SIGKILL), lambda: os.kill(-1, signal.SIGTERM), lambda: os.kill(0, signal.SIGSTOP),
       lambda: os.killpg(0, signal.SIGTERM), lambda: os.kill(os.getpid(), signal.SIGSTOP),
       lambda: call("tgkill", os.getppid(), os.getppid(), 9), lambda: call(234 if platform.machine() == "x86_64" else 131,
                                                                           JUDGE, JUDGE, 9),
       lambda: signal.raise_signal(signal.SIGUSR1))
