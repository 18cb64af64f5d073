"""What the package does in C++. Use the package itself."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

class Cost(TypedDict):
    rounds: int
    bytes: int
    dealt: int

class PhaseCost(Cost):
    passes: int

class PlannedCost(Cost):
    seconds: float | None
    phases: dict[str, PhaseCost]

class Settings:
    steps: int
    arms: int
    epsilon: float
    max_norm: float | None
    binary_rewards: bool
    batch: int
    reward_lag: int
    preprocessing: str
    update: str
    insecure_seed: int | None
    def __init__(self) -> None: ...

class Run:
    @property
    def average_reward(self) -> float: ...
    @property
    def plaintext(self) -> float | None: ...
    @property
    def uniform(self) -> float | None: ...
    @property
    def best(self) -> float | None: ...
    @property
    def curve(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    @property
    def plaintext_curve(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    @property
    def arms(self) -> NDArray[np.uint32]: ...
    @property
    def rewards(self) -> NDArray[np.float64]: ...
    @property
    def cost(self) -> Cost: ...
    @property
    def seconds(self) -> float: ...
    def report(self, page: str, figures: str) -> None: ...
    def json(self) -> str: ...
    def summary(self) -> str: ...

class SharedModel:
    def __init__(self, settings: Settings, columns: Sequence[int]) -> None: ...
    def learn(
        self, parts: Sequence[NDArray[np.float64]], arms: NDArray[np.int64], rewards: NDArray[np.float64]
    ) -> None: ...
    def decide(self, parts: Sequence[NDArray[np.float64]], explores: bool) -> NDArray[np.int64]: ...
    def exact_scores(self, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]: ...
    @property
    def learned(self) -> int: ...
    @property
    def decided(self) -> int: ...
    @property
    def greedy(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cost(self) -> Cost: ...

class Table:
    def __init__(self, names: Sequence[str], columns: Sequence[Sequence[str]]) -> None: ...
    @staticmethod
    def of_stream(stream: Any, is_read: Callable[[str], bool]) -> Table: ...
    @property
    def columns(self) -> list[str]: ...

class FitOptions:
    id: str | None
    subject: str | None
    label: str | None
    drop: list[str]
    one_hot: list[str]
    number: list[str]
    percent: list[str]
    missing: list[str]
    not_missing: list[str]
    decimal_comma: bool
    robust: bool
    clip: float
    categories: int
    components: int
    constant: float
    normalise: bool
    parties: int
    max_norm: float
    share: float | None
    def __init__(self) -> None: ...

class Recipe:
    def __init__(self, text: str, file: str) -> None: ...
    @staticmethod
    def fit(table: Table, options: FitOptions) -> tuple[Recipe, dict[str, str], list[str]]: ...
    def transform(self, table: Table) -> tuple[NDArray[np.float64], list[str]]: ...
    def arms_of(self, table: Table) -> NDArray[np.int64]: ...
    def save(self, path: str) -> None: ...
    def columns(self, with_features: bool) -> list[str]: ...
    @property
    def id(self) -> str | None: ...
    @property
    def label(self) -> str | None: ...
    @property
    def arms(self) -> list[str]: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def norm(self) -> float: ...
    @property
    def text(self) -> str: ...

class Graph:
    def __init__(self) -> None: ...
    def add(
        self,
        op: str,
        inputs: Sequence[int],
        shape: tuple[int, int],
        numbers: Sequence[float],
        constant: NDArray[np.float64] | None,
        name: str,
        node: int,
        line: str,
    ) -> None: ...

class Config:
    def __init__(self, arguments: Sequence[str]) -> None: ...
    @property
    def parties(self) -> int: ...
    @property
    def party(self) -> int | None: ...
    @property
    def role(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def preprocessing(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def receiver(self) -> bool: ...

class OpenedCost(Cost):
    preprocessing_rounds: int
    preprocessing_bytes: int
    bits: list[int]

class PlayedGraph(OpenedCost):
    opened: list[NDArray[np.float64] | None]

class GraphCost(OpenedCost):
    seconds: float | None

def simulate_graph(
    graph: Graph,
    parties: int,
    bits: int,
    preprocessing: str,
    inputs: Sequence[Sequence[NDArray[np.float64] | None]],
) -> PlayedGraph: ...
def run_graph(
    graph: Graph,
    config: Config,
    inputs: Sequence[NDArray[np.float64] | None],
    tell: Callable[[str], Any],
) -> PlayedGraph: ...
def plan_graph(graph: Graph, parties: int, bits: int, preprocessing: str, link: str) -> GraphCost: ...
def modes() -> list[tuple[str, int | None]]: ...
def plan(settings: Settings, columns: Sequence[int], link: str) -> PlannedCost: ...
def simulate(
    settings: Settings,
    parts: Sequence[NDArray[np.float64]],
    reward: Callable[[int, int], float] | NDArray[Any],
    twin: bool,
    command: str,
    progress: Callable[[int, int], Any] | None,
) -> Run: ...
def plain_name(name: str) -> str: ...
def largest_batch(max_norm: float) -> int: ...
def eta(arms: int, epsilon: float, decided: int) -> tuple[float | None, float | None, float]: ...
def reduced(file: str, components: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
