"""The private epsilon-greedy bandit, with all roles in this process."""

from __future__ import annotations

import errno
import functools
import math
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core
from ._arguments import number, whole
from ._program import require_mode

Reward = Union[Callable[[int, int], float], ArrayLike]
Made = TypeVar("Made")

VACUOUS = 10.0  # an eta above it promises nothing
DEFAULT_CONSTANT = 0.2  # relative to max_norm; `sotto prepare party` takes it relative to the rows' usual length
PARAMETERS = (
    "n_arms",
    "epsilon",
    "max_norm",
    "batch",
    "rewards",
    "reward_lag",
    "max_rows",
    "preprocessing",
    "update",
    "add_constant",
)


class Curve(NamedTuple):
    """The running average of rewards, at about 200 of the steps: `plt.plot(*run.curve)`."""

    step: NDArray[np.int64]
    average_reward: NDArray[np.float64]


@dataclass(frozen=True)
class Privacy:
    """The information about features that the arms reveal to the actor, as differential privacy. None means unbounded.

    The bound eta is for one arm. The bound eta_run is for all `decided` arms together, except with a probability of
    `delta`. A bound of eta allows odds that differ by a factor of exp(eta) between two rows. `vacuous` says that
    eta_run promises nothing in practice.
    """

    eta: float | None
    eta_run: float | None
    delta: float
    decided: int

    @property
    def vacuous(self) -> bool:
        """Whether eta_run is unbounded or above 10, which means odds of 22,000 to 1."""
        return self.eta_run is None or self.eta_run > VACUOUS

    def __repr__(self) -> str:
        run = "unbounded" if self.eta_run is None else f"{self.eta_run:.4g}" + (" (vacuous)" if self.vacuous else "")
        arm = "unbounded" if self.eta is None else f"{self.eta:.4g}"
        return f"Privacy(eta={arm}, eta_run={run}, delta={self.delta:g}, decided={self.decided})"


@dataclass(frozen=True)
class Plan:
    """The exact costs of a run, before anything runs: rounds, the bytes that the largest party sends, and the bytes
    that the dealer deals. `seconds` is the time that the messages take on the link, without arithmetic. `phases` has
    the same costs for the parts of the run."""

    rounds: int
    bytes: int
    dealt: int
    seconds: float | None
    steps: int
    link: str | None
    phases: dict[str, _core.PhaseCost] = field(repr=False)


class Run:
    """A run that was played: its rewards, its costs, and what its arms reveal. `arms` and `rewards` have one number per
    step. `rounds`, `bytes` and `dealt` were counted on the messages."""

    def __init__(self, run: _core.Run, privacy: Privacy) -> None:
        self._run = run
        self.privacy = privacy

    @property
    def average_reward(self) -> float:
        """The mean reward per step."""
        return self._run.average_reward

    @property
    def plaintext(self) -> float | None:
        """The mean reward of the plain-text twin, the same algorithm on open data with its own randomness. None if the
        twin did not play."""
        return self._run.plaintext

    @property
    def uniform(self) -> float | None:
        """The reward of uniform play. None if rewards are a function."""
        return self._run.uniform

    @property
    def best(self) -> float | None:
        """The reward of playing the best arm of every row. None if rewards are a function."""
        return self._run.best

    @property
    def curve(self) -> Curve:
        """The growth of the average reward."""
        return Curve(*self._run.curve)

    @property
    def plaintext_curve(self) -> Curve:
        """The growth of the plain-text twin's average reward."""
        return Curve(*self._run.plaintext_curve)

    @property
    def arms(self) -> NDArray[np.uint32]:
        """The arm of each step, as the actor learned it. Read-only."""
        return self._run.arms

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The reward of each step, as the actor gave it. Read-only."""
        return self._run.rewards

    @property
    def rounds(self) -> int:
        """The total number of rounds of messages."""
        return self._run.cost["rounds"]

    @property
    def bytes(self) -> int:
        """Bytes that the largest party sent."""
        return self._run.cost["bytes"]

    @property
    def dealt(self) -> int:
        """Bytes that the dealer sent to the last party."""
        return self._run.cost["dealt"]

    @property
    def seconds(self) -> float:
        """The time that the run took in this process, with all roles one after the other."""
        return self._run.seconds

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the run into an existing folder, as one HTML file that loads nothing. Writes all figures
        of the page next to it, into a file of the same name that ends with .json: run.json for run.html."""
        page = Path(path)
        if not page.parent.is_dir():
            raise FileNotFoundError(
                errno.ENOENT, "there is no such folder to write the report into: make it first", str(page.parent)
            )
        if page.suffix == ".json":
            raise ValueError("report: the page is HTML, and its figures go to the .json next to it; give another name, such as run.html")
        self._run.report(os.fspath(page), os.fspath(page.with_suffix(".json")))

    def json(self) -> str:
        """The JSON that `sotto bandit --json` prints for a run."""
        return self._run.json()

    def __repr__(self) -> str:
        twin = "" if self.plaintext is None else f", plaintext={self.plaintext:.4f}"
        return f"Run(steps={len(self.arms)}, average_reward={self.average_reward:.4f}{twin}, rounds={self.rounds})"


class _Figures(NamedTuple):
    """The known figures of a model at the end of the last call. Another thread may already be in the next call."""

    learned: int = 0
    decided: int = 0
    greedy: int = 0
    cost: tuple[int, int, int] = (0, 0, 0)

    @staticmethod
    def of(model: _core.SharedModel) -> _Figures:
        cost = model.cost
        return _Figures(model.learned, model.decided, model.greedy, (cost["rounds"], cost["bytes"], cost["dealt"]))


class EpsilonGreedy:
    """Epsilon-greedy over ridge regressions, one per arm, on features that several parties hold.

    No party sees features of another party, and nobody sees the model. Only the actor sees arms and rewards.

    Parameters
    ----------
    n_arms : int
        Number of arms, 1 to 1024. They are numbered from 0.
    epsilon : float
        The probability of a uniform arm, 0 to 1. With 0, nothing bounds what an arm reveals.
    max_norm : float
        A public bound on the norm of a row over all parties, above 0 and at most 8. A smaller bound costs less.
    batch : int
        Rows that are decided, and learned, at once: 1 to about 1900 / max_norm^2.
    rewards : {"binary", "real"}
        Only 0 and 1, or any number in [-1, 1].
    reward_lag : int
        In `simulate`: the number of further rows that are decided before the reward of a row is known.
    max_rows : int
        The maximum number of rows that `partial_fit` ever learns. The widths are chosen for it.
    preprocessing : str
        The source of the randomness: a "dealer", or one of the ways without a dealer in the table of docs/guides/library.md.
        Without a dealer, `rounds` and `bytes` include the costs of making the randomness ahead.
    update : {"all-arms", "pulled-arm"}
        In `simulate` with `batch=1`: whether a step computes for all arms in the same way, or selects the pulled arm
        first, with more rounds of fewer bytes.
    add_constant : bool or float
        A further feature of the first party, with the same value in each row. It allows arms that are good or bad on
        average. Without it there is no such feature, unless X has a column of ones or comes from `sotto prepare`, which
        adds one. True means 0.2. The value is the constant relative to `max_norm`, at least 0 and below 1. Features are
        scaled by sqrt(1 - 0.2^2), so that a row's norm stays within `max_norm`.

    The parameters are fixed. `set_params` can change them while nothing was learned.

    Threads may share a bandit: calls that learn or decide run one after the other.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> X0, X1, y = sotto.datasets.digits(parties=2)
    >>> bandit = sotto.EpsilonGreedy(n_arms=10, epsilon=0.1, max_norm=1.0, batch=64)
    >>> plan = bandit.plan([X0, X1], link="20ms,100mbit")
    >>> plan.rounds < 18 * 64
    True
    >>> _ = bandit.partial_fit([X0[:640], X1[:640]], arms=y[:640], rewards=np.ones(640))
    >>> float(np.mean(bandit.predict([X0[640:], X1[640:]], explore=False) == y[640:])) > 0.7
    True
    """

    def __init__(
        self,
        n_arms: int,
        epsilon: float = 0.1,
        *,
        max_norm: float = 1.0,
        batch: int = 64,
        rewards: str = "binary",
        reward_lag: int = 0,
        max_rows: int = 1_000_000,
        preprocessing: str = "dealer",
        update: str = "all-arms",
        add_constant: bool | float = False,
    ) -> None:
        self.n_arms = whole("n_arms", n_arms, 1, 1024)
        self.epsilon = number("epsilon", epsilon, 0, 1)
        self.max_norm = number("max_norm", max_norm, 0, 8)
        if self.max_norm == 0:
            raise ValueError("max_norm: above 0 and at most 8, not 0")
        self.batch = whole("batch", batch, 1, 1_000_000)
        most = _core.largest_batch(self.max_norm)
        if self.batch > most:
            raise ValueError(
                f"batch: with max_norm={self.max_norm:g} a batch has 1 to {most} rows, not {self.batch}; give a smaller one, "
                "or scale the features to a smaller norm"
            )
        self.reward_lag = whole("reward_lag", reward_lag, 0, 1_000_000)
        self.max_rows = whole("max_rows", max_rows, 1, 10**9)
        if rewards not in ("binary", "real"):
            raise ValueError(f'rewards: "binary" or "real", not {rewards!r}')
        self.rewards = rewards
        self.preprocessing = require_mode(preprocessing)
        if update not in ("all-arms", "pulled-arm"):
            raise ValueError(f"update: 'all-arms' or 'pulled-arm', not {update!r}")
        self.update = update
        share = DEFAULT_CONSTANT if add_constant is True else 0.0 if add_constant is False else add_constant
        self.add_constant = number("add_constant", share, 0, 1)
        if self.add_constant == 1:
            raise ValueError("add_constant: True, or 0 to below 1, not 1: nothing would be left of the features")
        self._forget()
        self._lock = threading.Lock()  # for the model and its figures

    def plan(
        self, X: Sequence[ArrayLike] | Sequence[int], *, steps: int | None = None, link: str | None = None
    ) -> Plan:
        """The cost of `simulate` with the same rows.

        X may also hold only the numbers of columns, together with `steps`. `link` is a delay, a rate or both, and
        optionally a jitter between them: "20ms,100mbit", "20ms,2ms,1gbit".

        >>> EpsilonGreedy(n_arms=10, batch=256).plan([10, 10], steps=10_000).rounds
        720
        """
        if all(isinstance(part, (int, np.integer)) for part in X):
            columns = [whole("X", part, 1, 1 << 20) for part in X]
            if steps is None:
                raise ValueError("steps: required where X holds numbers of columns")
        else:
            parts = _arrays.parts(X)
            columns = [part.shape[1] for part in parts]
            steps = len(parts[0]) if steps is None else steps
        settings = self._settings(whole("steps", steps, 1, 10**9))
        cost = _core.plan(settings, self._with_constant(columns), "" if link is None else link)
        return Plan(cost["rounds"], cost["bytes"], cost["dealt"], cost["seconds"], settings.steps, link, cost["phases"])

    def simulate(
        self,
        X: Sequence[ArrayLike],
        reward: Reward,
        *,
        steps: int | None = None,
        plaintext: bool = True,
        random_state: int | None = None,
    ) -> Run:
        """Plays a run over the rows in order, starting again after the last row. The run has its own model, which
        starts empty.

        Parameters
        ----------
        X : list of matrices
            The features of each party, one row per case. Every row's norm over all parties is at most `max_norm`.
        reward : callable or array
            The reward of an arm in one of three forms: a function of the row's number and the arm; a matrix with one
            row per case and one column per arm; or the right arm of each row, where only the right arm earns 1.
        steps : int
            The default is every row once.
        plaintext : bool
            Whether the plain-text twin plays too. The twin calls a reward function again, possibly for other arms.
        random_state : int
            Makes the run repeatable. Anyone who knows it knows all secrets: use it for tests, never with data to
            protect.
        """
        parts = _arrays.parts(X)
        _arrays.refuse_empty(parts)
        rows = len(parts[0])
        settings = self._settings(whole("steps", rows if steps is None else steps, 1, 10**9))
        if random_state is not None:
            settings.insecure_seed = whole("random_state", random_state, 0, 2**63 - 1)
        command = f"{self!r}.simulate(X, reward, steps={settings.steps})"
        reward = reward if callable(reward) else _arrays.one_a_row(reward, "reward", X)
        run = _core.simulate(settings, self._lengthened(parts), self._reward(reward, rows), bool(plaintext), command)
        return Run(run, self._privacy(settings.steps, 0))

    def partial_fit(self, X: Sequence[ArrayLike], arms: ArrayLike, rewards: ArrayLike) -> EpsilonGreedy:
        """Learns rows whose arms were played and whose rewards have come. The arms may come from any source.

        `arms` are whole numbers from 0, and `rewards` are the rewards of the arms that were played, both one per row.
        The call learns all rows or none: after an error or Ctrl-C, the model is unchanged. A pandas series must have
        the index of X. An array is matched by position.
        """
        parts = _arrays.parts(X)
        _arrays.refuse_empty(parts)
        rows = len(parts[0])
        played = _arrays.whole(_arrays.one_a_row(arms, "arms", X), "arms", rows)
        earned = np.ascontiguousarray(_arrays.real(_arrays.one_a_row(rewards, "rewards", X), "rewards"))
        if earned.ndim != 1 or len(earned) != rows:
            raise ValueError(f"rewards: expected one a row, {rows} of them, not the shape {earned.shape}")

        def learn(model: _core.SharedModel) -> None:
            if model.learned + rows > self.max_rows:
                raise ValueError(
                    f"max_rows: the model is made for {self.max_rows} rows that it learns, and would have {model.learned + rows}; "
                    "reset() forgets it, and set_params(max_rows=...) makes room for more"
                )
            model.learn(self._lengthened(parts), played, earned)

        self._with_model(X, parts, learn)
        return self

    def predict(self, X: Sequence[ArrayLike], *, explore: bool = True) -> NDArray[np.int64]:
        """The arm of each row, as the actor learns it.

        The choice is epsilon-greedy, as the bandit plays. With `explore=False` it is the best arm according to the
        model, and nothing bounds what that reveals. A model that has learned nothing gives uniform arms.
        """
        parts = _arrays.parts(X)
        _arrays.refuse_empty(parts)
        return self._with_model(X, parts, lambda model: model.decide(self._lengthened(parts), bool(explore)))

    def reset(self) -> None:
        """Forgets all learned rows and their costs."""
        with self._lock:
            self._forget()

    @property
    def n_features_in_(self) -> list[int] | None:
        """The number of features of each party, once there is a model."""
        return self._columns

    @property
    def n_rows_learned_(self) -> int:
        """The number of rows that `partial_fit` has learned."""
        return self._figures.learned

    @property
    def cost_(self) -> _core.Cost:
        """Rounds, bytes of the largest party, and dealt bytes of all calls of `partial_fit` and `predict`."""
        rounds, sent, dealt = self._figures.cost
        return {"rounds": rounds, "bytes": sent, "dealt": dealt}

    @property
    def privacy(self) -> Privacy:
        """The information that the arms of all calls of `predict` reveal."""
        figures = self._figures
        return self._privacy(figures.decided, figures.greedy)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: Any) -> EpsilonGreedy:
        """Changes arguments of the constructor while there is no model. `reset` forgets a model."""
        unknown = sorted(set(params) - set(PARAMETERS))
        if unknown:
            raise ValueError(f"set_params: there is no {unknown[0]}; there are {', '.join(PARAMETERS)}")
        with self._lock:
            if self._model is not None:
                raise RuntimeError(
                    "set_params: there is a model, which was made for the arguments as they are; reset() forgets it"
                )
            changed = type(self)(**{**self.get_params(), **params})
            self.__dict__.update({name: getattr(changed, name) for name in PARAMETERS})
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name in PARAMETERS and name in self.__dict__:
            raise AttributeError(f"{name} stays as it is: set_params({name}=...) changes it while nothing was learned")
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._model is not None:
            raise TypeError(
                "a bandit with a model is not pickled or copied, since its shares stay in this process: pickle its "
                "arguments, get_params(), and the rows that it learned"
            )
        return functools.partial(type(self), **self.get_params()), ()

    def __repr__(self) -> str:
        return f"EpsilonGreedy({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def _settings(self, steps: int) -> _core.Settings:
        settings = _core.Settings()
        settings.steps = steps
        settings.arms = self.n_arms
        settings.epsilon = self.epsilon
        settings.max_norm = self.max_norm
        settings.binary_rewards = self.rewards == "binary"
        settings.batch = self.batch
        settings.reward_lag = self.reward_lag
        settings.preprocessing = self.preprocessing
        settings.update = self.update
        return settings

    def _forget(self) -> None:
        self._model: _core.SharedModel | None = None
        self._columns: list[int] | None = None
        self._names: list[list[str] | None] = []
        self._figures = _Figures()

    def _with_model(self, X: Sequence[Any], parts: Sequence[NDArray[np.float64]], use: Callable[[_core.SharedModel], Made]) -> Made:
        """Returns the result of `use` on the model. A new model is kept only if `use` succeeded. One thread at a
        time."""
        columns = [part.shape[1] for part in parts]
        names = [_arrays.names_of(part) for part in X]
        with self._lock:
            self._check_columns(columns, names)
            model = self._model
            if model is None:
                model = _core.SharedModel(self._settings(self.max_rows), self._with_constant(columns))
            try:
                result = use(model)
            except BaseException:
                if self._model is not None:  # arms that were revealed count, whatever happened later
                    self._figures = _Figures.of(model)
                raise
            if self._model is None:
                self._model, self._columns, self._names = model, columns, names
            self._names = [old or new for old, new in zip(self._names, names)]  # arrays have no names
            self._figures = _Figures.of(model)
            return result

    def _check_columns(self, columns: list[int], names: list[list[str] | None]) -> None:
        """Refuses columns that differ from the model's. For frames, it compares the names of the columns."""
        if self._columns is None:
            return
        if len(columns) != len(self._columns):
            raise ValueError(f"X is of {len(columns)} parties, but the model of {len(self._columns)}")
        for p, (count, known) in enumerate(zip(columns, self._columns)):
            if count != known:
                raise ValueError(f"X[{p}] has {count} columns, but the model has {known} of it")
        for p, (now, first) in enumerate(zip(names, self._names)):
            if now is None or first is None or now == first:
                continue
            at = next(number for number, name in enumerate(now) if name != first[number])
            raise ValueError(
                f"X[{p}], column {now[at]!r}: the model has {first[at]!r} in its place; give the columns in the order that the "
                "model began with"
            )

    def _with_constant(self, columns: list[int]) -> list[int]:
        return [columns[0] + 1, *columns[1:]] if self.add_constant > 0 and columns else columns

    def _lengthened(self, parts: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Adds the constant, if there is one. Rows with the norm max_norm keep that norm."""
        if self.add_constant == 0:
            return parts
        shorter = math.sqrt(1 - self.add_constant**2)
        constant = np.full((len(parts[0]), 1), self.add_constant * self.max_norm)
        return [np.hstack([shorter * parts[0], constant]), *(shorter * part for part in parts[1:])]

    def _reward(self, reward: Reward, rows: int) -> Any:
        if callable(reward):
            return reward
        array = _arrays.plain(reward, "reward")
        if array.ndim == 1:
            if array.dtype.kind not in "iu":
                raise ValueError(
                    "reward: a vector has the right arm of each row as whole numbers, such as y.astype(int), not "
                    f"{array.dtype}; rewards themselves are a matrix, a row a case and a column an arm"
                )
            labels = _arrays.whole(array, "reward", rows)
            if labels.min() < 0 or labels.max() >= self.n_arms:
                raise ValueError(f"reward: right arms are 0 to {self.n_arms - 1}")
            return labels
        matrix = _arrays.matrix(array, "reward")
        if matrix.shape != (rows, self.n_arms):
            raise ValueError(f"reward: expected the shape {(rows, self.n_arms)}, not {matrix.shape}")
        return matrix

    def _privacy(self, decided: int, greedy: int) -> Privacy:
        eta, eta_run, delta = _core.eta(self.n_arms, 0.0 if greedy else self.epsilon, max(decided, 1))
        return Privacy(eta, 0.0 if decided == 0 else eta_run, delta, decided)
