"""The bandit."""

from __future__ import annotations

import functools
import math
import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _core, _evaluate, _kept, _log, _log_value, _rewards, _scores, _split
from ._arguments import flag, number, whole
from ._arms import Arms, Name
from ._compare import Comparison, compared
from ._evaluation import Evaluation
from ._log_value import Estimate
from ._program import require_mode
from ._progress import Bar
from ._results import Plan, Privacy, Run
from ._rewards import Reward
from ._scores import Scores

Data = Any  # one per party
Made = TypeVar("Made")

DEFAULT_CONSTANT = 0.2  # relative to max_norm
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
    "arms",
    "split",
    "exact_scores",
)
LATER = {"arms": None, "split": None, "exact_scores": False}  # repr() omits a parameter that has this value


class _Figures(NamedTuple):
    """The model's figures at the end of the last call. Another thread may already be in the next call."""

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
        Number of arms, 1 to 1024. They are numbered from 0. By default the bandit takes its arms from the first data:
        from `arms` of `partial_fit`, or from `reward` of `simulate`.
    epsilon : float
        The probability of a uniform arm, 0 to 1. With epsilon 0, nothing bounds the information that an arm reveals.
    max_norm : float
        A public bound on the norm of a row over all parties, above 0 and at most 8. A smaller `max_norm` costs less.
    batch : int
        The number of rows that are decided at once, and learned at once: 1 to about 1900 / max_norm^2.
    rewards : {"binary", "real"}
        "binary": each reward is 0 or 1. "real": each reward is a number in [-1, 1].
    reward_lag : int
        In `simulate`: the number of further rows that are decided before the reward of a row is known.
    max_rows : int
        The maximum number of rows that `partial_fit` ever learns. The widths of numbers are chosen for this maximum.
    preprocessing : str
        The source of the randomness: a "dealer", or one of the ways without a dealer in the table of
        docs/guides/library.md. Without a dealer, `rounds` and `bytes` include the costs of making the randomness ahead.
    update : {"all-arms", "pulled-arm"}
        In `simulate` with `batch=1`: a step either computes for all arms in the same way, or selects the pulled arm
        first. Selecting the pulled arm first takes more rounds, but fewer bytes.
    add_constant : bool or float
        Adds a feature to the first party's rows, with the same value in each row. With this feature, the model can
        learn that an arm is good or bad in all rows. Data of `sotto prepare` already have such a feature. A number c,
        at least 0 and below 1, adds the value c * `max_norm`; True means c = 0.2. All other features are multiplied by
        sqrt(1 - c^2), so that a row's norm stays within `max_norm`.
    arms : list of str or int
        Names of the arms, 1 to 1024. All calls accept and return arms by name.
    split : int or list of int
        With `split`, X is one matrix with the columns of all parties, as tools such as scikit-learn need it. A number
        is the number of parties, between which the columns are split evenly. A list has the number of columns of each
        party.
    exact_scores : bool or list of bool
        Whether each party allows `predict_scores`. A list has one answer per party.

    `set_params` can change parameters as long as the bandit has no model. Threads may share a bandit.

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

    _estimator_type = "classifier"  # for scikit-learn

    # The state is in slots, because scikit-learn expects only the parameters in vars().
    __slots__ = (
        "__dict__", "__weakref__", "_named", "_lock", "_model", "_columns", "_names", "_figures", "_learned_arms",
        "_opened_scores",
    )

    def __init__(
        self,
        n_arms: int | None = None,
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
        arms: Sequence[Name] | None = None,
        split: int | Sequence[int] | None = None,
        exact_scores: bool | Sequence[bool] = False,
    ) -> None:
        self._named = Arms.known(n_arms, arms)
        self.n_arms = n_arms
        self.arms = arms
        self.split = _split.checked(split)
        self.exact_scores = _scores.checked(exact_scores)
        self.epsilon = number("epsilon", epsilon, 0, 1)
        self.max_norm = number("max_norm", max_norm, 0, 8)
        if self.max_norm == 0:
            raise ValueError("max_norm: above 0 and at most 8, not 0")
        self.batch = whole("batch", batch, 1, 1_000_000)
        most = _core.largest_batch(self.max_norm)
        if self.batch > most:
            raise ValueError(
                f"batch: with max_norm={self.max_norm:g} a batch has 1 to {most} rows, not {self.batch}; give a "
                "smaller one, or scale the features to a smaller norm"
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
        self._lock = threading.Lock()  # protects the model

    def plan(
        self, X: Data | Sequence[int], *, steps: int | None = None, link: str | None = None
    ) -> Plan:
        """The cost of `simulate` with the same rows.

        X is a list of the parties' matrices, or of the parties' numbers of columns. With numbers of columns, `steps` is
        required. `link` is a delay, a rate or both, and optionally a jitter between them: "20ms,100mbit",
        "20ms,2ms,1gbit".

        >>> EpsilonGreedy(n_arms=10, batch=256).plan([10, 10], steps=10_000).rounds
        720
        """
        if isinstance(X, (list, tuple)) and all(isinstance(part, (int, np.integer)) for part in X):
            columns = [whole("X", part, 1, 1 << 20) for part in X]
            if steps is None:
                raise ValueError("steps: required where X holds numbers of columns")
        else:
            parts = _arrays.parts(self._parts_of(X))
            columns = [part.shape[1] for part in parts]
            steps = len(parts[0]) if steps is None else steps
        settings = self._settings(self._required_arms(), whole("steps", steps, 1, 10**9))
        cost = _core.plan(settings, self._with_constant(columns), "" if link is None else link)
        return Plan(cost["rounds"], cost["bytes"], cost["dealt"], cost["seconds"], settings.steps, link, cost["phases"])

    def simulate(
        self,
        X: Data,
        reward: Reward,
        *,
        steps: int | None = None,
        plaintext: bool = True,
        random_state: int | None = None,
        progress: bool = False,
    ) -> Run:
        """Plays a run over the rows in order, and then from the first row again, with a new model.

        Parameters
        ----------
        X : list of matrices
            The features of each party, one row per case. Every row's norm over all parties is at most `max_norm`.
        reward : callable or array
            The reward of an arm in one of three forms: a function of the row's number and the arm; a matrix with one
            row per case and one column per arm; or the right arm of each row, where only the right arm earns 1. The
            columns of a frame are matched to the arms' names.
        steps : int
            The number of steps. By default every row is played once.
        plaintext : bool
            Whether the plain-text twin plays too. The twin also calls a reward function, and may ask for the rewards of
            other arms.
        random_state : int
            Makes the run repeatable. Anyone who knows this number can compute all secrets, so use it for tests, never
            with data to protect.
        progress : bool
            Whether a bar on stderr shows how far the run is.
        """
        X, parts = self._read(X)
        rows = len(parts[0])
        if not callable(reward):
            reward = _arrays.one_a_row(reward, "reward", X, keeps_names=True)
        arms = self._known_arms() or (self._required_arms() if callable(reward) else _rewards.arms_of(reward))
        settings = self._settings(arms, whole("steps", rows if steps is None else steps, 1, 10**9))
        if random_state is not None:
            settings.insecure_seed = whole("random_state", random_state, 0, 2**63 - 1)
        command = f"{self!r}.simulate(X, reward, steps={settings.steps})"
        played = _rewards.by_number(reward, rows, arms)
        bar = Bar(settings.steps) if flag("progress", progress) else None
        try:
            run = _core.simulate(settings, self._lengthened(parts), played, bool(plaintext), command, bar)
        finally:
            if bar is not None:
                bar.close()
        return Run(run, self._privacy(arms.count, settings.steps, 0), arms)

    def compare(
        self,
        X: Data,
        reward: Reward,
        *,
        explorations: Sequence[float] = (0.01, 0.03, 0.1),
        steps: int | None = None,
        plaintext: bool = True,
        random_state: int | None = None,
        progress: bool = False,
    ) -> Comparison:
        """Calls `simulate` once for each number in `explorations`, with this number as `epsilon`.

        The reward of a single run varies by chance, so compare the mean rewards of the plain-text plays instead.
        `explorations` are from 0 to 1. The other arguments are those of `simulate`.
        """
        epsilons = [number("explorations", epsilon, 0, 1) for epsilon in explorations]
        if not epsilons:
            raise ValueError("explorations: expected at least one number from 0 to 1")

        def run_with(epsilon: float) -> Run:
            parameters: dict[str, Any] = {**self.get_params(), "epsilon": epsilon}
            bandit = type(self)(**parameters)
            return bandit.simulate(
                X, reward, steps=steps, plaintext=plaintext, random_state=random_state, progress=progress
            )

        return compared((epsilon, run_with(epsilon)) for epsilon in epsilons)

    def fit(self, X: Data, y: ArrayLike) -> EpsilonGreedy:
        """Forgets the model, and learns rows whose right arms `y` are known: the right arm of each row earned 1. After
        an error, no row of X is learned."""
        X, parts = self._read(X)
        self.reset()
        return self._learn(X, parts, y, np.ones(len(parts[0])), None)

    def partial_fit(
        self, X: Data, arms: ArrayLike, rewards: ArrayLike, propensities: ArrayLike | None = None
    ) -> EpsilonGreedy:
        """Learns rows whose arms were played, by any policy.

        `arms` are names, or whole numbers from 0. `rewards` are the rewards of these arms, one per row. After an error
        or Ctrl-C, the model is unchanged. A pandas series must have the index of X; an array is matched by position.

        `propensities` are the probabilities with which the rows' arms were played, from 0.01 to 1. Propensities that
        cannot be right raise ValueError. Propensities do not weigh rows, because the weight of a row would reveal the
        row's arm to the parties.
        """
        X, parts = self._read(X)
        return self._learn(X, parts, arms, rewards, propensities)

    def _learn(
        self,
        X: Any,
        parts: list[NDArray[np.float64]],
        arms: ArrayLike,
        rewards: ArrayLike,
        propensities: ArrayLike | None,
    ) -> EpsilonGreedy:
        rows = len(parts[0])
        of_row = _arrays.one_a_row(arms, "arms", X)
        known = self._known_arms() or Arms.of_data(of_row, "arms")
        played = known.numbers(of_row, "arms", rows)
        earned = _rewards.earned(rewards, X, rows)
        if propensities is not None:
            _log_value.propensities_of(_arrays.one_a_row(propensities, "propensities", X), rows, known.count)

        def learn(model: _core.SharedModel) -> None:
            if model.learned + rows > self.max_rows:
                raise ValueError(
                    f"max_rows: the model is made for {self.max_rows} rows that it learns, and would have "
                    f"{model.learned + rows}; reset() forgets it, and set_params(max_rows=...) makes room for more"
                )
            model.learn(self._lengthened(parts), played, earned)

        self._with_model(X, parts, known, learn)
        return self

    def predict(self, X: Data, *, explore: bool = True) -> NDArray[Any]:
        """The arm of each row, by name if arms have names.

        With `explore=False` the choice is the best arm of the model, and nothing bounds the information that the arms
        reveal. An empty model chooses uniform arms.
        """
        X, parts = self._read(X)
        arms = self._required_arms()
        numbers = self._with_model(X, parts, arms, lambda model: model.decide(self._lengthened(parts), bool(explore)))
        return numbers if arms.names is None else arms.array()[numbers]

    def predict_scores(self, X: Data) -> Scores:
        """The model's estimate of each arm's reward: one row per case and one column per arm.

        The call needs the shares of all parties, and raises ValueError unless each party agreed by `exact_scores=True`.
        From then on `privacy` is unbounded.
        """
        X, parts = self._read(X)
        _scores.require_consent(self.exact_scores, len(parts))
        arms = self._required_arms()

        def open_scores(model: _core.SharedModel) -> NDArray[np.float64]:
            scores = model.exact_scores(self._lengthened(parts))
            self._opened_scores += len(scores)
            return scores

        return Scores(self._with_model(X, parts, arms, open_scores), arms.array())

    def score(
        self,
        X: Data,
        y: Reward | None = None,
        *,
        arms: ArrayLike | None = None,
        rewards: ArrayLike | None = None,
        propensities: ArrayLike | None = None,
    ) -> float:
        """The average reward of the arms of `predict(X, explore=False)`. No privacy bound covers these arms.

        Give `y`, the rewards in one of the forms of `simulate`. Or give a log of another policy: its `arms`, their
        `rewards` and `propensities`, one per row. The result is then an Estimate with half of its 95% interval,
        `half_width`. Raises ValueError if the log does not suffice for an estimate.
        """
        if (y is None) == (arms is None):
            raise ValueError("score: give y, or arms with rewards and propensities")
        if arms is None:
            return self._score_on(X, y)
        if rewards is None or propensities is None:
            raise ValueError(
                "score: arms need rewards and propensities, the probabilities with which they were played: "
                "np.full(len(arms), 1 / n_arms) for uniform arms"
            )
        X, parts = self._read(X)
        rows, known = len(parts[0]), self._required_arms()
        played = known.numbers(_arrays.one_a_row(arms, "arms", X), "arms", rows)
        earned = _rewards.earned(rewards, X, rows)
        chances = _log_value.propensities_of(_arrays.one_a_row(propensities, "propensities", X), rows, known.count)
        return _log_value.value_on_log(self._best(X, parts), played, earned, chances)

    def _score_on(self, X: Data, reward: Any) -> float:
        X, parts = self._read(X)
        rows, known = len(parts[0]), self._required_arms()
        if not callable(reward):
            reward = _arrays.one_a_row(reward, "reward", X, keeps_names=True)
        of = _rewards.by_number(reward, rows, known)
        picked = self._best(X, parts)
        if callable(of):
            return float(np.mean([of(row, arm) for row, arm in enumerate(picked.tolist())]))
        return float(np.mean(picked == of if of.ndim == 1 else of[np.arange(rows), picked]))

    def _best(self, X: Any, parts: list[NDArray[np.float64]]) -> NDArray[np.int64]:
        """The model's best arm of each row."""
        arms = self._required_arms()
        return self._with_model(X, parts, arms, lambda model: model.decide(self._lengthened(parts), False))

    def evaluate(
        self,
        X: Data,
        log: Any,
        *,
        held_out: float | None = None,
        split: str = "last",
        propensities: str = "logged",
        least_propensity: float = 0.01,
        clip_weights: bool = False,
        arms_offered: int = 0,
        full_support: bool = False,
        segment: str | None = None,
        cells: int = 0,
        answers: str = "counts",
        reward_scale: float | None = None,
        clip_rewards: bool = False,
        account_epsilon: float = 0.5,
        account_rows_per_subject: int = 1,
        learning_epsilon: float = 0.0,
        learning_delta: float = 1e-6,
        accounts: Sequence[Any] | None = None,
        account_budget: float = 2.0,
        account_forget_after: int = 0,
        uncovered_learning: bool = False,
        subjects: Any = None,
        exact: bool = False,
        random_state: int | None = None,
    ) -> Evaluation:
        """The rewards that policies would have earned on a log, as its owner may know them. This is the private
        evaluation of `sotto evaluate`, in this process. In shares, the model picks an arm for each evaluated event.
        Only counts with noise are opened: how often the model's arm is the logged arm.

        A bandit that has learned is evaluated, by default, on the whole log. A bandit without a model learns a part of
        the log, by default the first half, and is evaluated on the rest. The bandit itself does not change. At least
        1,000 events must be evaluated.

        `X` has the features of each party, one row per event.

        `log` is a pandas.DataFrame, a dict of columns, or a frame with `__arrow_c_stream__`. It has the columns arm and
        reward, and may have propensity and a column of segments. A pandas.DataFrame is matched by index.

        `held_out` to `learning_delta` are the flags of `sotto evaluate`, with its ranges and defaults.

        `accounts` has the path of each party's account, from `sotto account begin`. None stands for a party without
        one. Each account is charged before anything is opened. It refuses more than `account_budget` for a person.
        `account_budget`, `account_forget_after` and `uncovered_learning` are keys in [account] of a role. With
        accounts, something must cover learned rows, as for roles on several machines.

        `subjects` has the ids of the people that the rows are about, or a list with those of each party. By default
        these are the indices of frames.

        `exact` adds exact values, in columns whose names contain `exact`. The plain-text twin reads all features for
        them. So the model must be learned here, and no party may have an account.

        `random_state` makes the evaluation repeatable, and its noise known to everyone. Use it only for tests.

        Raises ValueError for what the command refuses. The message names the remedy, and never a cell. Raises TypeError
        if `log` is no log.
        """
        given = dict(locals())
        X, parts = self._read(X)
        _core.check_rows(parts, self.max_norm)
        rows = len(parts[0])
        read = _log.read(log, X, rows, self._known_arms(), segment)
        files = _evaluate.accounts_of(accounts, len(parts))
        with self._lock:
            self._check_columns([part.shape[1] for part in parts], [_arrays.names_of(part) for part in X])
            flags = {name: given[name] for name in _evaluate.FLAGS}
            has_accounts = any(account is not None for account in files)
            flags.update(_evaluate.own_flags(given, self._model is not None, has_accounts, self, read.arms.count))
            if random_state is not None:
                flags["insecure_seed"] = whole("random_state", random_state, 0, 2**63 - 1)
            people = _evaluate.subjects_of(subjects, X, rows)
            command = f"{self!r}.evaluate(X, log)"
            question = _evaluate.Question(self._lengthened(parts), read, flags, files, people, exact, command)
            return _evaluate.answered(question, self._model)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Keeps the model in `folder`/state: one folder per party, with its shares, sealed with the key in it. The
        command line reads them as those of `sotto bandit --out`, such as with `--from`. A party's folder can be moved.

        The data is not kept. Anyone who has the folders of all parties can read the model. Raises ValueError if nothing was
        learned, or if `folder`/state exists.
        """
        with self._lock:
            if self._model is None or self._columns is None:
                raise ValueError("save: the bandit has learned nothing yet; learn rows first")
            settings = self._settings(self._required_arms(), self.max_rows)
            names = _kept.column_names(self._names, self._with_constant(self._columns))
            learned = None if self._learned_arms is None or self._named else self._learned_arms.names
            kept = _kept.Kept(
                self.get_params(), None if learned is None else list(learned), self._names,
                self._figures.decided, self._figures.greedy, self._opened_scores,
            )
            _core.keep_model(os.fspath(folder), settings, self._model, names)
            _kept.write_arguments(folder, kept)

    @classmethod
    def load(cls, place: str | os.PathLike[str] | Sequence[Any], *, max_rows: int | None = None) -> EpsilonGreedy:
        """Loads the bandit that `save` stored, or a bandit from a run of `sotto bandit` with --log or --checkpoint-every.

        `place` is the folder of `save`, the --out of the run, or a list with the folder or config.toml of each party.
        `max_rows` is the most rows that the model ever learns, by default as before. With the same `max_rows` the
        shares are the same, bit for bit. With another, their number of bits may change, which is done in shares.

        `cost_` counts from 0. `privacy` counts the arms that were opened before `save`, but not those of a run. Raises
        ValueError if a party's folder is missing or damaged, has another key, or is of another model.
        """
        folders = _kept.folders_of(place)
        found = _core.find_model(folders)
        kept = _kept.arguments_in(folders)
        if kept is not None:
            _kept.require_arguments(kept, PARAMETERS, folders[0])
        parameters = _kept.parameters_of(found) if kept is None else kept.parameters
        if max_rows is not None:
            parameters = {**parameters, "max_rows": max_rows}
        bandit = cls(**parameters)
        bandit._take(found, kept)
        return bandit

    def reset(self) -> None:
        """Forgets learned rows."""
        with self._lock:
            self._forget()

    @property
    def arms_(self) -> NDArray[Any]:
        """The arms by name, in the order of their numbers. Raises AttributeError while they are unknown."""
        arms = self._known_arms()
        if arms is None:
            raise AttributeError("arms_: the arms are unknown until rows are learned, or n_arms or arms is given")
        return arms.array()

    @property
    def classes_(self) -> NDArray[Any]:
        """The arms, under the name that scikit-learn expects. Raises AttributeError without a model."""
        if self._model is None:
            raise AttributeError("classes_: there is no model yet")
        return self.arms_

    @property
    def n_features_in_(self) -> Any:
        """The number of features of each party, or None without a model. With `split`, the number of all features;
        raises AttributeError without a model."""
        if self.split is None or self._columns is not None:
            return self._columns if self.split is None or self._columns is None else sum(self._columns)
        raise AttributeError("n_features_in_: there is no model yet")

    @property
    def n_rows_learned_(self) -> int:
        """The number of rows that the model has learned."""
        return self._figures.learned

    @property
    def cost_(self) -> _core.Cost:
        """The costs of all calls: rounds, bytes of the party that sent most, and dealt bytes."""
        rounds, sent, dealt = self._figures.cost
        return {"rounds": rounds, "bytes": sent, "dealt": dealt}

    @property
    def privacy(self) -> Privacy:
        """The information that the arms of all calls of `predict` reveal."""
        figures, arms = self._figures, self._known_arms()
        decided, bare = figures.decided + self._opened_scores, figures.greedy + self._opened_scores
        return self._privacy(arms.count if arms else 1, decided, bare if arms else 1)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: Any) -> EpsilonGreedy:
        """Changes parameters while there is no model; `reset` forgets the model."""
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
            self._named = changed._named
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in PARAMETERS and name in self.__dict__:
            raise AttributeError(f"{name} stays as it is: set_params({name}=...) changes it while nothing was learned")
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._model is not None:
            raise TypeError(
                "a bandit with a model is not pickled or copied, since its shares stay in this process: pickle its "
                "arguments, get_params(), and the rows that it learned; or save() it"
            )
        return functools.partial(type(self), **self.get_params()), ()

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value != LATER.get(name, ...)}
        return f"EpsilonGreedy({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _parts_of(self, X: Any) -> Any:
        """The parties' matrices."""
        return X if self.split is None else _split.parts_of(X, self.split)

    def _read(self, X: Any) -> tuple[Any, list[NDArray[np.float64]]]:
        """The matrices of the parties, as given and as float64. Raises ValueError if there are no rows."""
        given = self._parts_of(X)
        parts = _arrays.parts(given)
        _arrays.refuse_empty(parts)
        return given, parts

    def _known_arms(self) -> Arms | None:
        return self._named or self._learned_arms

    def _required_arms(self) -> Arms:
        arms = self._known_arms()
        if arms is None:
            raise _not_fitted("n_arms: the arms are not known yet; give n_arms or arms, or learn rows first")
        return arms

    def _settings(self, arms: Arms, steps: int) -> _core.Settings:
        settings = _core.Settings()
        settings.steps = steps
        settings.arms = arms.count
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
        self._learned_arms: Arms | None = None
        self._opened_scores = 0

    def _take(self, found: _core.FoundModel, kept: _kept.Kept | None) -> None:
        """Continues the model that was found."""
        if kept is not None and kept.learned_arms is not None:
            self._learned_arms = Arms.named("arms", kept.learned_arms)
        settings = self._settings(self._required_arms(), self.max_rows)
        decided, greedy = (0, 0) if kept is None else (kept.decided, kept.greedy)
        self._model = found.model(settings, decided, greedy)
        constant = 1 if self.add_constant > 0 else 0
        self._columns = [len(names) - (constant if p == 0 else 0) for p, names in enumerate(found.columns)]
        self._names = [*found.columns] if kept is None else kept.names
        self._figures = _Figures.of(self._model)
        self._opened_scores = 0 if kept is None else kept.opened_scores
        if found.reward_scale != 1:
            doubt = f"rewards that were divided by {found.reward_scale:g}; divide those of partial_fit by as much"
            warnings.warn(f"the model has learned {doubt}", UserWarning, stacklevel=3)

    def _with_model(
        self,
        X: Sequence[Any],
        parts: Sequence[NDArray[np.float64]],
        arms: Arms,
        use: Callable[[_core.SharedModel], Made],
    ) -> Made:
        """A new model is kept only if `use` succeeded."""
        columns = [part.shape[1] for part in parts]
        names = [_arrays.names_of(part) for part in X]
        with self._lock:
            self._check_columns(columns, names)
            model = self._model
            if model is None:
                model = _core.SharedModel(self._settings(arms, self.max_rows), self._with_constant(columns))
            elif arms != self._known_arms():
                raise ValueError("arms: another call began the model with other arms; give arms=[...] to the bandit")
            try:
                result = use(model)
            except BaseException:
                if self._model is not None:  # a failed call has costs too
                    self._figures = _Figures.of(model)
                raise
            if self._model is None:
                self._model, self._columns, self._names = model, columns, names
                self._learned_arms = arms
            self._names = [old or new for old, new in zip(self._names, names)]  # an array has no names
            self._figures = _Figures.of(model)
            return result

    def _check_columns(self, columns: list[int], names: list[list[str] | None]) -> None:
        """Raises ValueError if the columns differ from the columns that the model has learned."""
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
                f"X[{p}], column {now[at]!r}: the model has {first[at]!r} in its place; give the columns in the order "
                "that the model began with"
            )

    def _with_constant(self, columns: list[int]) -> list[int]:
        return [columns[0] + 1, *columns[1:]] if self.add_constant > 0 and columns else columns

    def _lengthened(self, parts: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Adds the constant feature. A row of norm `max_norm` keeps this norm."""
        if self.add_constant == 0:
            return parts
        shorter = math.sqrt(1 - self.add_constant**2)
        constant = np.full((len(parts[0]), 1), self.add_constant * self.max_norm)
        return [np.hstack([shorter * parts[0], constant]), *(shorter * part for part in parts[1:])]

    def _privacy(self, n_arms: int, decided: int, greedy: int) -> Privacy:
        eta, eta_run, delta = _core.eta(n_arms, 0.0 if greedy else self.epsilon, max(decided, 1))
        return Privacy(eta, 0.0 if decided == 0 else eta_run, delta, decided)


def _not_fitted(message: str) -> ValueError:
    """scikit-learn's NotFittedError, or ValueError if scikit-learn is not imported."""
    exceptions = sys.modules.get("sklearn.exceptions")
    error: type[ValueError] = ValueError if exceptions is None else exceptions.NotFittedError
    return error(message)
