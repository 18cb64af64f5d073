"""Shared code of the numbered examples."""

import numpy as np


def compared(out, plain, error):
    """Returns the exit code: 0 if the two results differ by at most `error`."""
    difference = float(np.max(np.abs(np.asarray(out.value) - plain)))
    print(f"{out.rounds} rounds, {out.bytes:,} bytes sent, {out.dealt:,} bytes dealt; {difference:.2g} from plain text")
    for opening in out.opened:
        print(f"opened: {opening.name}, of {opening.bits} fraction bits")
    return 0 if difference <= error else 1
