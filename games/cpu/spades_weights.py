import os
import numpy as np
WEIGHTS = np.zeros(700)
p = os.environ.get("SPWT", "/tmp/spades/w.npy")
if os.path.exists(p):
    WEIGHTS = np.ascontiguousarray(np.load(p).ravel())
