"""Read the homes, where keys and other students' work may lie."""
denied(lambda: os.listdir("/home"), lambda: os.listdir("/root"), lambda: open("/root/.bashrc").read(),
       lambda: open(os.path.expanduser("~/.ssh/id_rsa")), lambda: os.listdir(os.path.expanduser("~")),
       lambda: os.listdir(os.getcwd()), lambda: os.listdir("/tmp"), lambda: os.listdir("/dev/shm"))
