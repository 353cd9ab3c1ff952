"""Read what the machine says about itself and its users."""
denied(lambda: open("/etc/passwd").read(), lambda: open("/etc/shadow").read(), lambda: open("/etc/hosts").read(),
       lambda: os.listdir("/etc"), lambda: __import__("pwd").getpwnam("root"), lambda: open("/etc/ld.so.cache", "rb"),
       lambda: os.listdir("/"), lambda: os.listdir("/usr"), lambda: os.listdir("/var/log"))
