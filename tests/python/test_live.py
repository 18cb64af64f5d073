"""sotto.connect, with a whole service of five roles, and with a role that gives the answers of the test."""

import http.server
import json
import os
import re
import socketserver
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import sotto

EVENT = "0123456789abcdef0123456789abcdef"
DECIDED = {
    "event": EVENT,
    "status": "decided",
    "arm": "card",
    "arm_index": 1,
    "number": 7,
    "epsilon": 0.1,
    "least_probability": 0.05,
}


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class Answering:
    """A role at a Unix socket. The list `answers` has the role's answers: (status, body), (status, body, headers),
    or None, which breaks the connection.
    """

    def __init__(self, path):
        answers, calls = self.answers, self.calls = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                calls.append((self.command, self.path, body, self.headers.get("Authorization")))
                said = answers.pop(0) if len(answers) > 1 else answers[0]
                if said is None:
                    self.close_connection = True
                    return
                status, given, headers = (*said, {})[:3]
                text = given if isinstance(given, bytes) else b"" if given is None else json.dumps(given).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

            def address_string(self):
                return "unix"

        self.server = UnixServer(str(path), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def tmp_path():
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
        yield Path(folder)


@pytest.fixture
def role(tmp_path):
    answering = Answering(tmp_path / "s")
    yield answering
    answering.server.shutdown()
    answering.server.server_close()


def connect(tmp_path, **options):
    return sotto.connect(f"unix:{tmp_path / 's'}", **options)


def problem(status, name, **more):
    return (status, {"type": f"urn:sotto:{name}", "title": "It is refused", "status": status, **more})


def test_a_decision(role, tmp_path):
    role.answers.append((200, DECIDED))
    with connect(tmp_path) as me:
        decision = me.decide(subject="p-81f2", event=EVENT, deadline=1.5, not_arms=["sale"])
    assert decision == sotto.Decision(EVENT, "decided", "card", 1, 7, 0.1, 0.05)
    method, path, body, token = role.calls[0]
    assert (method, path, token) == ("POST", "/v1/decisions", None)
    assert json.loads(body) == {
        "event": EVENT,
        "subject": "p-81f2",
        "deadline_ms": 1500,
        "not_arms": ["sale"],
        "wait_ms": 30000,
    }


def test_the_same_event_is_asked_until_it_is_answered(role, tmp_path):
    busy = problem(503, "queue-full")
    role.answers += [None, busy, (202, {"event": EVENT, "status": "pending"}), (200, DECIDED)]
    with connect(tmp_path) as me:
        assert me.decide().arm == "card"
    bodies = [json.loads(call[2]) for call in role.calls]
    assert len(bodies) == 4 and all(body == bodies[0] for body in bodies)
    assert len(bodies[0]["event"]) == 32


def test_a_refusal_is_one_line_with_its_name(role, tmp_path):
    role.answers.append(problem(409, "event-conflict", detail="another body", event=EVENT))
    with connect(tmp_path) as me, pytest.raises(sotto.LiveError, match="It is refused: another body") as caught:
        me.decide(event=EVENT)
    assert (caught.value.status, caught.value.problem, caught.value.event) == (409, "event-conflict", EVENT)


def test_no_baseline_arm_is_a_refusal_not_a_reason_to_wait(role, tmp_path):
    role.answers.append(problem(503, "no-decision"))
    with connect(tmp_path) as me, pytest.raises(sotto.LiveError) as caught:
        me.decide()
    assert caught.value.problem == "no-decision" and len(role.calls) == 1


def test_it_gives_up_in_time(role, tmp_path):
    role.answers.append((*problem(503, "ended"), {"Retry-After": "100"}))
    with connect(tmp_path, timeout=0.5) as me, pytest.raises(TimeoutError, match="/v1/status within 0.5 s: It is refused"):
        me.status()
    with sotto.connect(f"unix:{tmp_path / 'nobody'}", timeout=0) as me, pytest.raises(TimeoutError, match="no such socket"):
        me.status()
    assert not sotto.connect(f"unix:{tmp_path / 'nobody'}").ready()


def test_lines_have_an_error_each(role, tmp_path):
    refused = problem(400, "bad-body", detail="field")[1]
    role.answers.append((200, b"\n".join(json.dumps(line).encode() for line in (DECIDED, refused)) + b"\n"))
    with connect(tmp_path) as me:
        good, bad = me.decide_many([{"event": EVENT}, {"subject": "x"}])
        assert me.decide_many([]) == []
        with pytest.raises(ValueError, match="no 'colour'"):
            me.decide_many([{"colour": "red"}])
    assert good.arm == "card" and isinstance(bad, sotto.LiveError) and bad.problem == "bad-body"
    assert len(role.calls) == 1 and len(role.calls[0][2].splitlines()) == 2


def test_fewer_answers_than_lines_are_an_error(role, tmp_path):
    role.answers.append((200, json.dumps(DECIDED).encode()))
    with connect(tmp_path) as me, pytest.raises(sotto.LiveError, match="1 answers to 2 lines"):
        me.decide_many([{}, {}])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none_do_not_leave(role, tmp_path, value):
    with connect(tmp_path) as me:
        for call in (lambda: me.reward(EVENT, value), lambda: me.put_features(EVENT, [value])):
            with pytest.raises(ValueError, match="finite"):
                call()
    assert not role.calls


def test_ids_cannot_leave_their_path(role, tmp_path):
    role.answers.append((204, None))
    with connect(tmp_path) as me:
        me.reward("../status?x=1", 1)
    assert role.calls[0][1] == "/v1/events/..%2Fstatus%3Fx%3D1/reward"


@pytest.mark.parametrize("text", ["", "[role]\nname = \"actor\"\n", "not toml", "[service]\n"])
def test_files_that_are_no_config(tmp_path, text):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ValueError, match="config.toml"):
        sotto.connect(tmp_path / "config.toml")


def test_addresses_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        sotto.connect(tmp_path / "config.toml")
    with pytest.raises(ValueError, match="expected unix:PATH or host:port"):
        sotto.Role("actor")


REMOTE = ["role.example:7201", "10.0.0.1:7201", "[fe80::1]:7201", "localhost.example:1", "0.0.0.0:1"]
LOCAL = ["localhost:7201", "127.0.0.1:7201", "127.9.0.1:1", "[::1]:7201", "unix:/run/a.sock"]


@pytest.mark.parametrize("address", REMOTE)
def test_no_token_leaves_this_machine_in_clear(tmp_path, address):
    pinned = "sha256:" + "a" * 64
    with pytest.raises(ValueError, match="everybody on the way would read the token"):
        sotto.connect(address, token="a" * 32)
    assert sotto.connect(address, token="a" * 32, fingerprint=pinned)._fingerprint == pinned
    with pytest.raises(ValueError, match="and all calls"):
        sotto.connect(address)
    (tmp_path / "token").write_text("a" * 32 + "\n")
    config = tmp_path / "config.toml"
    config.write_text('[service]\n[role]\nname = "actor"\n[http]\nlisten = "127.0.0.1:1"\ntoken_file = "token"\n')
    with pytest.raises(ValueError, match="everybody on the way would read the token"):
        sotto.connect(config, listen=address)
    with pytest.raises(ValueError, match="64 hex digits"):
        sotto.connect(address, token="a" * 32, fingerprint="aa:bb")


@pytest.mark.parametrize("address", LOCAL)
def test_on_this_machine_a_token_needs_no_fingerprint(address):
    assert sotto.connect(address, token="a" * 32)._token == "a" * 32


def test_what_a_config_says(tmp_path):
    (tmp_path / "token").write_text("a" * 32 + "\n")
    (tmp_path / "config.toml").write_text(
        '[service]\nschema = 3\n[role]\nname = "party"\nid = 1\n[http]\nlisten = "127.0.0.1:1"\ntoken_file = "token"\n'
    )
    role = sotto.connect(tmp_path / "config.toml")
    assert (role.address, role.schema, role._token) == ("127.0.0.1:1", 3, "a" * 32)
    (tmp_path / "config.toml").write_text('[service]\n[role]\nname = "party"\nid = 1\n[http]\ntls = true\n')
    with pytest.raises(ValueError, match="without a fingerprint of party_1"):
        sotto.connect(tmp_path / "config.toml")
    (tmp_path / "config.toml").write_text('[service]\n[role]\nname = "party"\nid = 1\n')
    assert sotto.connect(tmp_path / "config.toml").address == "unix:/run/sotto/party_1.sock"


COLUMNS = "name,low,high,default\na,-0.5,0.5,0\nb,-0.5,0.5,0\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    program = os.environ.get("SOTTO_PROGRAM")
    if not program:
        pytest.skip("SOTTO_PROGRAM does not name the program sotto")
    sys.path.insert(0, str(Path(os.environ["SOTTO_SOURCE"]) / "apps/examples/live"))
    import services

    settings = {"arms": "sale,card,gift", "baseline_arm": "gift", "reward_wait": "1s", "batch_sizes": "1,4"}
    roles = services.Services(program, tmp_path_factory.mktemp("live") / "roles", settings,
                              {"party_0": COLUMNS, "party_1": COLUMNS})
    config = Path(roles.config("actor"))
    text, count = re.subn("^tls = false$", "tls = true", config.read_text(), flags=re.MULTILINE)
    assert count == 1
    config.write_text(text)
    try:
        for role in roles.names:
            roles.start(role)
        for role in roles.names:
            with sotto.connect(roles.config(role), timeout=60) as me:
                assert me.status()["kind"] == role.split("_")[0]
        yield roles
    finally:
        for process in roles.processes.values():
            process.terminate()
        for process in roles.processes.values():
            process.wait()


def test_a_service_from_features_to_reward(service):
    actor, rewarder, *parties = (
        sotto.connect(service.config(role), timeout=60) for role in ("actor", "rewarder", "party_0", "party_1")
    )
    with actor, rewarder, parties[0], parties[1]:
        event = sotto.new_event()
        parties[0].put_features(event, {"a": 0.25})
        parties[1].put_features(event, [0.1, -0.3])
        with pytest.raises(sotto.LiveError) as refused:
            parties[1].put_features(event, {"a": 7})
        assert refused.value.problem in ("feature-out-of-range", "event-conflict")
        decision = actor.decide(event=event, deadline=50)
        assert decision.status == "decided" and decision.arm in ("sale", "card", "gift")
        assert actor.decide(event=event, deadline=50) == decision
        rewarder.reward(event, 1)
        assert rewarder.event(event)["reward"] == 1
        many = actor.decide_many([{"deadline": 50}, {"deadline": 50, "not_arms": ["sale", "card"]}])
        assert many[1].arm == "gift"
        given = rewarder.reward_many({decision.event: 1, many[0].event: 2})
        assert given[many[0].event].problem == "reward-out-of-range"
        assert actor.privacy() and parties[0].figures()
        assert actor.drain()["number"] >= 2
        actor.resume()


def test_another_certificate_is_refused(service):
    me = sotto.connect(service.config("actor"), timeout=60)
    stranger = sotto.Role(me.address, token=me._token, fingerprint="sha256:" + "0" * 64)
    with pytest.raises(sotto.LiveError, match="another certificate"):
        stranger.status()
    with sotto.Role(me.address, token="b" * 32, fingerprint=me._fingerprint) as wrong, pytest.raises(sotto.LiveError) as e:
        wrong.status()
    assert e.value.status == 401
