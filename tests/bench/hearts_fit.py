import sys
import numpy as np
from games.cpu.hearts_expert_policy import *


def initial():
    t = np.zeros(TABLES_SIZE, dtype=np.float32)
    for kind in range(KINDS):
        for low in range(8):
            for high in range(8):
                k = (kind * 8 + low) * 8 + high
                n = low + high
                pw = 1.0 if n == 0 else (low / n) ** 1.5
                if high == 0:
                    pw = 1.0
                lead = {
                    PLAIN: 2.0 * pw,
                    HEART: 4.5 * pw,
                    UNDER: 0.0,
                    OVER: 7.0,
                    LADY: 11.0 if low else 3.0,
                    GUARD: 1.5 + 2 * pw,
                    CATCHER: 2 * pw,
                    KNAVE: 4.0,
                }[kind]
                t[RANKED_LEAD + k] = lead
                t[RANKED_UNDER + k] = -0.15 * low + {LADY: -5.0, GUARD: 1.5, OVER: -1.5, KNAVE: 6, CATCHER: -0.0}.get(
                    kind, 0
                )
                t[RANKED_OVER + k] = -0.15 * low + {LADY: 10.0, GUARD: 1.0, OVER: 0.5, KNAVE: -4}.get(kind, 0)
                t[RANKED_THROWN + k] = (
                    -0.35 * low
                    - (0.4 if kind == HEART else 0)
                    + {LADY: -8, OVER: -2.5, GUARD: 1.0, KNAVE: 6, CATCHER: 0.5}.get(kind, 0)
                )
        for length in range(8):
            for lower in range(3):
                k = (kind * 8 + length) * 3 + lower
                for base in (LONG_LEAD, LONG_UNDER, LONG_OVER, LONG_THROWN):
                    t[base + k] = 0.12 * length
        for later in range(4):
            for worth in range(WORTHS):
                for high in range(8):
                    k = ((later * WORTHS + worth) * KINDS + kind) * 8 + high
                    pw = 1.0 if high == 0 else (1 / (1 + 0.6 * high)) ** later
                    t[WINS + k] = pw * [0.3, 1.7, 4.0, 14.0, -9.0][worth]
    for later in range(4):
        for n in range(8):
            for q in range(2):
                t[RISK + (later * 8 + n) * 2 + q] = later * (8 - n) / 8 * (0.4 + 0.6 * q)
    return t


if __name__ == "__main__":
    np.save("games/cpu/hearts_expert_tables.npy", initial())
