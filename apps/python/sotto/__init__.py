"""Private contextual bandits, and computations on data that several parties hold and nobody reveals.

>>> import sotto
>>> X0, X1, y = sotto.datasets.digits(parties=2)
>>> bandit = sotto.EpsilonGreedy(n_arms=10, epsilon=0.1, max_norm=1.0, batch=64)
>>> run = bandit.simulate([X0, X1], reward=lambda row, arm: float(arm == y[row]), steps=1797)
>>> 0.1 < run.average_reward < 1.0
True

`simulate`, `partial_fit` and `predict` play all roles in this process, for trials by someone who has the data of all
parties. Across organisations, each organisation calls `run` with the config of its own role. `sotto.connect` calls a
role of a live decision service.
"""

from . import _functions, datasets
from ._bandit import EpsilonGreedy
from ._compare import Compared, Comparison
from ._config import Config
from ._core import __version__
from ._errors import DisagreementError, Error, NetworkError, ProtocolError, RemoteFailure, ResourceError, TrustError
from ._evaluation import Charge, Evaluation, PolicyValue
from ._functions import *  # noqa: F403
from ._live import Decision, LiveError, Role, connect, new_event
from ._program import Cost, Opened, Opening, Program, Result, Session, program
from ._log_value import Estimate
from ._recipe import Recipe
from ._results import Curve, Plan, Privacy, Run
from ._scores import Scores
from ._secret import Secret
from ._worth import Joining, Lift, Worth

__all__ = [
    "Charge",
    "Compared",
    "Comparison",
    "Config",
    "Cost",
    "Curve",
    "Decision",
    "DisagreementError",
    "EpsilonGreedy",
    "Error",
    "Estimate",
    "Evaluation",
    "Joining",
    "Lift",
    "LiveError",
    "NetworkError",
    "Opened",
    "Opening",
    "Plan",
    "PolicyValue",
    "Privacy",
    "Program",
    "ProtocolError",
    "Recipe",
    "RemoteFailure",
    "ResourceError",
    "Result",
    "Role",
    "Run",
    "Scores",
    "Secret",
    "Session",
    "TrustError",
    "Worth",
    "__version__",
    "connect",
    "datasets",
    "new_event",
    "program",
]
__all__ += _functions.__all__
