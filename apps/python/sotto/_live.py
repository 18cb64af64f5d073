"""Calls a role of the live decision service, for the organisation that runs the role."""

from __future__ import annotations

import hashlib
import http.client
import ipaddress
import json
import os
import re
import secrets
import socket
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

MOST_WAIT_MS = 30_000  # the service's limit
SMALLEST_PAUSE = 0.02  # seconds
LARGEST_PAUSE = 1.0


@dataclass(frozen=True)
class Decision:
    """The decision for an event. `status` is "decided", or "baseline" if the deadline came first. With "baseline" no
    arm was drawn, and number, epsilon and least_probability are None. `own_arm` is None if the call named no own arm.
    `own_arm` is "played" if the arm is the caller's own arm, whose probability the service does not know, and otherwise
    "ignored"."""

    event: str
    status: str
    arm: str
    arm_index: int
    number: int | None = None
    epsilon: float | None = None
    least_probability: float | None = None
    own_arm: str | None = None


class LiveError(RuntimeError):
    """The role refused a call. `problem` is the name of the error in the service's interface, such as "event-conflict".
    `status` is the HTTP status code."""

    def __init__(self, status: int, problem: str, message: str, event: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem
        self.event = event


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _PinnedConnection(http.client.HTTPSConnection):
    """TLS to a role that is identified by the fingerprint of its certificate."""

    def __init__(self, address: str, timeout: float, fingerprint: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # checked by fingerprint
        super().__init__(address, timeout=timeout, context=context)
        self._fingerprint = fingerprint

    def connect(self) -> None:
        super().connect()
        shown = self.sock.getpeercert(binary_form=True) or b""
        if "sha256:" + hashlib.sha256(shown).hexdigest() != self._fingerprint:
            self.close()
            raise LiveError(0, "not-trusted", f"{self.host}:{self.port} shows another certificate than the role's")


class Role:
    """The interface of one role, made by `connect`. Only one thread at a time may use a Role.

    A call is repeated while the role still sets up its links (503), or if the connection breaks. Repeating a call is
    safe. A call without an answer raises TimeoutError after `timeout` seconds. A call that the role refuses raises
    LiveError.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        fingerprint: str | None = None,
        schema: int = 1,
        timeout: float = 30.0,
    ) -> None:
        if not address.startswith("unix:") and ":" not in address:
            raise ValueError(f"{address!r}: expected unix:PATH or host:port")
        if token is not None and not token.strip():
            raise ValueError("token: it is empty")
        if fingerprint is not None and not re.fullmatch("sha256:[0-9a-f]{64}", fingerprint):
            raise ValueError("fingerprint: expected sha256: and 64 hex digits, which `sotto keys show` prints")
        if fingerprint is None and not _stays_here(address):
            raise ValueError(
                f"{address}: everybody on the way would read the token and all calls: give the fingerprint of the role's "
                "certificate"
            )
        self.address = address
        self.timeout = float(timeout)
        self.schema = schema
        self._token = token
        self._fingerprint = fingerprint
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Role:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Role({self.address!r})"

    def close(self) -> None:
        """Ends the connection until the next call."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # ---- the actor

    def decide(
        self,
        subject: str | None = None,
        *,
        event: str | None = None,
        deadline: float | None = None,
        not_arms: Sequence[str] = (),
        own_arm: str | None = None,
        activate: bool = True,
    ) -> Decision:
        """Asks the actor for the arm of an event.

        `event` is an id of 32 random hex digits; without it, `decide` makes a new id. Calls with the same id are about
        the same event, so a failed call can be repeated. `subject` is a pseudonym of the person, for parties that are
        asked for features. After `deadline` seconds the baseline arm is returned. `own_arm` is the arm that the caller
        plays in mode apprentice; other modes ignore it.
        """
        request = _request(event or new_event(), subject, deadline, not_arms, own_arm, activate)
        request["wait_ms"] = min(MOST_WAIT_MS, max(1, int(self.timeout * 1000)))
        return _decision(self._answer("POST", "/v1/decisions", request))

    def decide_many(self, requests: Iterable[Mapping[str, Any]]) -> list[Decision | LiveError]:
        """The arms of many events in one call. Each request maps names of arguments of `decide` to their values. If a
        request was refused, its error is in the list."""
        lines = []
        for request in requests:
            known = dict(request)
            lines.append(
                _request(
                    known.pop("event", None) or new_event(),
                    known.pop("subject", None),
                    known.pop("deadline", None),
                    known.pop("not_arms", ()),
                    known.pop("own_arm", None),
                    known.pop("activate", True),
                )
            )
            if known:
                raise ValueError(f"a request has no {', '.join(map(repr, known))}")
        wait = min(MOST_WAIT_MS, max(1, int(self.timeout * 1000)))
        answers = self._lines(f"/v1/decisions:batch?wait_ms={wait}", lines, lambda a: a.get("status") == "pending")
        return [_error(answer) if "type" in answer else _decision(answer) for answer in answers]

    def activate(self, event: str) -> None:
        """Lets the service learn an event that was decided with activate=False."""
        self._call("POST", f"/v1/events/{_id(event)}/activate")

    def drain(self) -> dict[str, Any]:
        """Stops accepting events. Once no event is pending, returns the service's mark: a dict with the number of the
        last event."""
        return self._answer("POST", "/v1/drain")

    def resume(self) -> None:
        """Accepts events again."""
        self._call("POST", "/v1/resume")

    def snapshot(self) -> dict[str, Any]:
        """Makes the parties copy the model, and returns the mark of the copy."""
        return self._answer("POST", "/v1/snapshots")

    def set_mode(self, mode: str) -> dict[str, Any]:
        """Changes the mode to "online", "frozen" or "apprentice", at all roles."""
        return self._answer("PUT", "/v1/mode", {"mode": mode})

    # ---- a party

    def put_features(self, event: str, features: Mapping[str, float] | Sequence[float]) -> None:
        """Stores this party's features of an event: numbers by column, or all numbers in order. A missing column gets
        its default value."""
        self._call("PUT", f"/v1/events/{_id(event)}/features", self._features(features))

    def put_features_many(
        self, features: Mapping[str, Mapping[str, float] | Sequence[float]]
    ) -> dict[str, LiveError | None]:
        """Stores features of many events, by their ids. Returns the error of each event that was refused."""
        lines = [{"event": event, **self._features(row)} for event, row in features.items()]
        answers = self._lines("/v1/features:batch", lines)
        return {event: _refusal(answer) for event, answer in zip(features, answers)}

    # ---- the rewarder

    def reward(self, event: str, value: float, *, reward_id: str | None = None) -> None:
        """Stores the reward of an event, in [-1, 1]. `reward_id` distinguishes a further reward from a repetition."""
        body: dict[str, Any] = {"value": _finite(value, "reward")}
        if reward_id is not None:
            body["reward_id"] = reward_id
        self._call("POST", f"/v1/events/{_id(event)}/reward", body)

    def reward_many(self, rewards: Mapping[str, float]) -> dict[str, LiveError | None]:
        """Stores the rewards of many events, by their ids. Returns the error of each event that was refused."""
        lines = [{"event": event, "value": _finite(value, "reward")} for event, value in rewards.items()]
        answers = self._lines("/v1/rewards:batch", lines)
        return {event: _refusal(answer) for event, answer in zip(rewards, answers)}

    # ---- every role

    def event(self, event: str) -> dict[str, Any]:
        """Returns everything that this role knows about an event."""
        return self._answer("GET", f"/v1/events/{_id(event)}")

    def status(self) -> dict[str, Any]:
        """Returns the state and the mode of the role, the number of its last event, its queue and its peers."""
        return self._answer("GET", "/v1/status")

    def figures(self) -> dict[str, Any]:
        """Figures that only this role has: the arms that it returned, the ranges of its columns, or the rewards that it
        learned."""
        return self._answer("GET", "/v1/figures")

    def privacy(self) -> dict[str, Any]:
        """Bounds on the information that all decisions so far reveal."""
        return self._answer("GET", "/v1/privacy")

    def ready(self) -> bool:
        """Whether the role accepts calls now. This method asks the role only once."""
        try:
            return self._once("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    # ---- calls

    def _features(self, features: Mapping[str, float] | Sequence[float]) -> dict[str, Any]:
        if isinstance(features, Mapping):
            return {
                "schema": self.schema,
                "values": {str(name): _finite(value, f"column {str(name)!r}") for name, value in features.items()},
            }
        return {"schema": self.schema, "x": [_finite(value, f"column {at}") for at, value in enumerate(features)]}

    def _connect(self) -> http.client.HTTPConnection:
        # The connection waits longer than the role may let a call wait.
        patience = self.timeout + 5
        if self.address.startswith("unix:"):
            return _UnixConnection(self.address[len("unix:") :], patience)
        if self._fingerprint is not None:
            return _PinnedConnection(self.address, patience, self._fingerprint)
        return http.client.HTTPConnection(self.address, timeout=patience)

    def _once(
        self, method: str, path: str, data: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        headers = {} if data is None else {"Content-Type": kind}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._connection is None:
            self._connection = self._connect()
        try:
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except BaseException:  # after Ctrl-C, too
            self.close()
            raise

    def _answered(self, method: str, path: str, data: bytes | None = None, kind: str = "application/json") -> tuple[int, bytes]:
        """Repeats the call until the answer is not "try again later"."""
        end = time.monotonic() + self.timeout
        pause = SMALLEST_PAUSE
        while True:
            try:
                status, headers, text = self._once(method, path, data, kind)
                if status not in (202, 503) or (status == 503 and _problem(text).get("type") == "urn:sotto:no-decision"):
                    return status, text
                why = _problem(text).get("title", f"answers {status}")
                wait = max(pause, float(headers.get("Retry-After", 0) or 0)) if status == 503 else 0.0
            except FileNotFoundError:
                why, wait = "there is no such socket", pause
            except (OSError, http.client.HTTPException) as error:
                why, wait = str(error) or type(error).__name__, pause
            if time.monotonic() + wait > end:
                raise TimeoutError(f"{self.address}: no answer to {path} within {self.timeout:g} s: {why}")
            time.sleep(wait)
            pause = min(2 * pause, LARGEST_PAUSE)

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        status, text = self._answered(method, path, data)
        if status >= 400:
            raise _error(_problem(text), status)
        return json.loads(text) if text else None

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = self._call(method, path, body)
        if not isinstance(answer, dict):
            raise LiveError(200, "bad-answer", f"{path}: the answer is no object")
        return answer

    def _lines(self, path: str, lines: Sequence[Mapping[str, Any]], unfinished: Any = lambda answer: False) -> list[Any]:
        if not lines:
            return []
        data = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()
        end = time.monotonic() + self.timeout
        while True:
            status, text = self._answered("POST", path, data, "application/x-ndjson")
            if status >= 400:
                raise _error(_problem(text), status)
            answers = [json.loads(line) for line in text.splitlines()]
            if len(answers) != len(lines):
                raise LiveError(status, "bad-answer", f"{path}: {len(answers)} answers to {len(lines)} lines")
            if not any(map(unfinished, answers)):
                return answers
            if time.monotonic() > end:
                raise TimeoutError(f"{self.address}: not all of {path} was decided within {self.timeout:g} s")


def new_event() -> str:
    """128 random bits."""
    return secrets.token_hex(16)


def _stays_here(address: str) -> bool:
    """Whether the address is on this machine. A host name is not looked up, because the name may later belong to
    another machine."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def connect(
    target: str | os.PathLike[str],
    *,
    listen: str | None = None,
    token: str | None = None,
    fingerprint: str | None = None,
    timeout: float = 30.0,
) -> Role:
    """Returns the interface of a role of the live service.

    `target` is the role's config.toml, or "unix:PATH" or "host:port". `listen` replaces the address in the config.
    `token` authenticates calls over TCP. `fingerprint` is the fingerprint of the role's certificate. By default, the
    token and the fingerprint are read from the config. Without a fingerprint nothing is sent beyond this machine.

        with sotto.connect("actor/config.toml") as me:
            decision = me.decide(subject="p-81f2")
            decision.arm, decision.status
    """
    text = os.fspath(target)
    if text.startswith("unix:") or (":" in text and not Path(text).exists()):
        return Role(listen or text, token=token, fingerprint=fingerprint, timeout=timeout)
    config = _read_config(Path(text))
    role, own = config.get("role", {}), config.get("http", {})
    key = role.get("name", "")
    if key == "party":
        key = f"party_{role.get('id', 0)}"
    if token is None and "token_file" in own:
        token = (Path(text).parent / own["token_file"]).read_text().strip()
    if fingerprint is None and own.get("tls", False):
        fingerprint = config.get("trust", {}).get(key)
        if fingerprint is None:
            raise ValueError(f"{text}: tls without a fingerprint of {key} in [trust]")
    schema = config.get("service", {}).get("schema", 1)
    address = listen or own.get("listen") or f"unix:/run/sotto/{key}.sock"
    return Role(address, token=token, fingerprint=fingerprint, schema=schema, timeout=timeout)


def _read_config(path: Path) -> dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:
        raise RuntimeError("reading a config takes Python 3.11; give the address and the token instead") from None
    try:
        with path.open("rb") as file:
            config = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    if "service" not in config or "role" not in config:
        raise ValueError(f"{path}: no config of a role of the decision service: it has no [service] and [role]")
    return config


def _id(event: str) -> str:
    return quote(str(event), safe="")


def _finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a number, not {type(value).__name__}") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError(f"{name}: expected a finite number")
    return number


def _request(
    event: str,
    subject: str | None,
    deadline: float | None,
    not_arms: Sequence[str],
    own_arm: str | None,
    activate: bool,
) -> dict[str, Any]:
    request: dict[str, Any] = {"event": event}
    if subject is not None:
        request["subject"] = subject
    if deadline is not None:
        request["deadline_ms"] = max(1, round(_finite(deadline, "deadline") * 1000))
    if isinstance(not_arms, str):
        raise ValueError("not_arms: expected a list of names")
    if not_arms:
        request["not_arms"] = list(not_arms)
    if own_arm is not None:
        request["own_arm"] = own_arm
    if not activate:
        request["activate"] = False
    return request


def _decision(answer: Mapping[str, Any]) -> Decision:
    return Decision(
        answer["event"],
        answer["status"],
        answer["arm"],
        answer["arm_index"],
        answer.get("number"),
        answer.get("epsilon"),
        answer.get("least_probability"),
        answer.get("own_arm"),
    )


def _problem(text: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _error(problem: Mapping[str, Any], status: int = 0) -> LiveError:
    code = int(problem.get("status", status))
    title = problem.get("title", f"the role answers {code}")
    detail = problem.get("detail")
    name = str(problem.get("type", "")).rpartition(":")[2]
    return LiveError(code, name, f"{title}: {detail}" if detail else str(title), problem.get("event"))


def _refusal(answer: Mapping[str, Any]) -> LiveError | None:
    return _error(answer) if "type" in answer else None
