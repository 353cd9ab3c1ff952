"""Save and load in memory: npy, npz, json, pickle, csv, zip, images of plots as bytes."""
import base64
import csv
import io
import json
import pickle
import zipfile

import numpy as np

x, stream = np.random.default_rng(0).normal(size=(3, 4)), io.BytesIO()
np.save(stream, x)
stream.seek(0)
print(np.array_equal(np.load(stream), x))
archive = io.BytesIO()
np.savez_compressed(archive, x=x, y=x.T)
archive.seek(0)
print(sorted(np.load(archive)), pickle.loads(pickle.dumps({"x": x}, 5))["x"].shape)
print(json.loads(json.dumps(x.tolist()))[0][0] == x[0, 0], base64.b64encode(x.tobytes())[:4])
rows = list(csv.reader(io.StringIO("a,b\n1,2\n")))
with zipfile.ZipFile(io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as zipped:
    zipped.writestr("a.txt", "words" * 100)
print(rows, np.frombuffer(x.tobytes()).sum() == x.ravel().sum(), memoryview(x).shape, np.genfromtxt(io.StringIO("1 2")))
