"""Checks of arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name}: expected a whole number, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name}: {low} to {high}, not {value}")
    return int(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"{name}: expected a number, not {type(value).__name__}")
    if not math.isfinite(value) or not low <= value <= high:
        raise ValueError(f"{name}: {low} to {high}, not {value}")
    return float(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}: expected True or False, not {type(value).__name__}")
    return bool(value)
