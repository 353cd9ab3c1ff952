"""Plots in a notebook, as lessons draw them.

needs: matplotlib
"""
# In a notebook: %matplotlib inline
import io

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d import Axes3D                                   # noqa: F401

figure, axes = plt.subplots(2, 2, figsize=(4, 4))
axes[0, 0].plot([1, 2, 3], label="$x^2$"), axes[0, 0].legend(), axes[0, 1].imshow(np.eye(8), cmap="viridis")
axes[1, 0].hist(np.arange(100) % 7), axes[1, 1].scatter([1, 2], [3, 4]), plt.tight_layout(), plt.show()
for kind in ("png", "svg", "pdf"):
    picture = io.BytesIO()
    figure.savefig(picture, format=kind)
    print(kind, len(picture.getvalue()) > 1000)
plt.figure().add_subplot(projection="3d").plot([1, 2], [3, 4], [5, 6])
plt.matshow(np.eye(3)), plt.colorbar(), plt.title("hoofd α"), plt.savefig(io.BytesIO()), plt.close("all")
plt.style.use("ggplot"), plt.rcParams.update({"font.size": 8}), matplotlib.use("Agg")
