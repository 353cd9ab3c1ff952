"""Every way to get random numbers."""
import random
import secrets
import uuid

import numpy as np

rng = np.random.default_rng()
print(rng.normal(size=3).shape, np.random.rand(2).shape, random.random() < 1, random.SystemRandom().random() < 1)
print(len(secrets.token_hex(8)), uuid.uuid4().version, np.random.default_rng(7).permutation(5), os.urandom(4) is None)
np.random.seed(1), random.seed(2), rng.shuffle(np.arange(10)), np.random.SeedSequence().entropy
for generator in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
    np.random.Generator(generator(3)).standard_normal(10)
