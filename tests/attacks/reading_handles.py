"""Get a handle of a file that may be seen, as a first step to one that may not."""
handle = ctypes.create_string_buffer((128).to_bytes(4, "little"), 200)
denied(lambda: call("name_to_handle_at", -100, ctypes.c_char_p(os.__file__.encode()), handle, (ctypes.c_int * 1)(), 0))
