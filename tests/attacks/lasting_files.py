"""Leave files wherever the next student, or the next run, could find them."""
MARK = "autograder-attack"
FOLDERS = ["/", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/root", "/home", "/worker", os.getcwd(), REPOSITORY,
           os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(sys.modules["numpy"].__file__))]
denied(*[lambda folder=folder: open(f"{folder}/{MARK}", "w") for folder in FOLDERS],
       *[lambda folder=folder: os.mkdir(f"{folder}/{MARK}-folder") for folder in FOLDERS],
       *[lambda folder=folder: os.open(folder, os.O_TMPFILE | os.O_RDWR) for folder in FOLDERS],
       lambda: __import__("tempfile").mkdtemp(),        lambda: sys.modules["numpy"].save("autograder-attack.npy", 1), lambda: __import__("shelve").open("autograder-attack"))
