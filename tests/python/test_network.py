"""Programs over the network: one process per role, over TLS on this machine, with configs of `sotto init`."""

import json
import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import sotto

sys.path.insert(0, str(Path(__file__).parent))
import roles

EXAMPLES = Path(os.environ.get("SOTTO_SOURCE", Path(__file__).parents[2])) / "apps/examples"

AUCTION = """
import json, sys
import numpy as np
import sotto

config = sotto.Config.from_arguments()

@sotto.program(parties=config.parties)
def second_price(s, bids):
    b = sotto.stack([s.input(bids, owner=p, shape=(3,), bound=100) for p in range(s.parties)])
    win = b.argmax(axis=0)
    price = s.open((b * (1 - win)).max(axis=0), name="price")
    return {"price": price, "first": s.open(b[0] + BONUS, name="first", to=1)}

BONUS = 0.5
CHANGE
bids = None if config.party is None else [3 + config.party, 50 - config.party, 7]
try:
    out = second_price.run(config, bids)
except sotto.Error as error:
    print(type(error).__name__, error)
    sys.exit(error.exit_code)
seen = {name: None if value is None else np.asarray(value).tolist() for name, value in out.value.items()}
print(json.dumps([config.role, seen, out.rounds, out.bytes, out.dealt, [tuple(o) for o in out.opened]]))
"""


def second_price(parties):
    @sotto.program(parties=parties)
    def auction(s, bids):
        b = sotto.stack([s.input(bids, owner=p, bound=100) for p in range(s.parties)])
        win = b.argmax(axis=0)
        price = s.open((b * (1 - win)).max(axis=0), name="price")
        return {"price": price, "first": s.open(b[0] + 0.5, name="first", to=1)}

    return auction.simulate(*[[3 + p, 50 - p, 7] for p in range(parties)])


def written(folder, change=""):
    script = folder / "auction.py"
    script.write_text(AUCTION.replace("CHANGE", change))
    return script


@pytest.mark.parametrize("parties", [2, 3, 5])
def test_a_run_over_tls_is_as_in_one_process(tmp_path, parties):
    folders = roles.init(tmp_path / "run", parties)
    script = written(tmp_path)
    report = ("--set", "role.report=report.json")
    ends = roles.finish({role: roles.start(script, folder, *report) for role, folder in folders.items()})
    simulated = second_price(parties)
    assert set(ends) == {"dealer", *(f"party_{p}" for p in range(parties))}
    for role, (code, out, err) in ends.items():
        assert code == 0, out + err
        name, seen, rounds, sent, dealt, opened = json.loads(out)
        assert name == role.replace("_", " ")
        assert (rounds, sent, dealt) == (simulated.rounds, simulated.bytes, simulated.dealt)
        assert [sotto.Opening(name, tuple(shape), to, bits) for name, shape, to, bits in opened] == simulated.opened
        price = None if role == "dealer" else [2 + parties - 1, 49, 7]
        assert seen == {"price": price, "first": [3.5, 50.5, 7.5] if role == "party_1" else None}
        reported = json.loads((folders[role] / "report.json").read_text())
        assert reported["rounds"] == rounds and {o["name"] for o in reported["opened"]} == {"price", "first"}
        assert "is here" in err and "insecure" in err


@pytest.mark.parametrize(
    "change",
    [
        "BONUS = 0.25",
        "second_price = sotto.program(lambda s, bids: s.open(s.input(bids, owner=0, shape=(3,)) * 3, name='price'))",
    ],
)
def test_differing_programs_do_not_start(tmp_path, change):
    folders = roles.init(tmp_path / "run")
    same, other = written(tmp_path), tmp_path / "other.py"
    other.write_text(AUCTION.replace("CHANGE", change))
    started = {role: roles.start(other if role == "party_1" else same, folder) for role, folder in folders.items()}
    ends = roles.finish(started)
    assert {role: end[0] for role, end in ends.items()} == {"dealer": 5, "party_0": 5, "party_1": 5}
    for code, out, err in ends.values():
        assert out.startswith(("DisagreementError", "RemoteFailure")), out + err
        assert "the programs differ: program operation " in out and "Traceback" not in err
    assert any(end[1].startswith("DisagreementError") for end in ends.values())


WAITS = """
import sys, time
import numpy as np
import sotto

config = sotto.Config.from_arguments()

@sotto.program(bits=16)
def long(s, mine):
    x = s.input(mine, owner=0, shape=(), bound=1)
    for _ in range(1000):
        x = ((x * x) - 0.25).within(1)
    return s.open(x, name="x")

def report(line):
    print(line, flush=True)

try:
    long.run(config, 0.5, report=report)
except KeyboardInterrupt:
    print("interrupted")
except sotto.Error as error:
    print(type(error).__name__, error.exit_code)
"""


def read_until(process, text):
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"no line has {text!r}: {process.stderr.read()}")


@pytest.mark.parametrize("when", ["party 1 never comes", "in a round"])
def test_ctrl_c_ends_a_run_at_all_roles(tmp_path, when):
    folders = roles.init(tmp_path / "run", 2, "--bits", "16")
    script = tmp_path / "long.py"
    script.write_text(WAITS)
    there = folders if when == "in a round" else {role: folders[role] for role in ("party_0", "dealer")}
    for folder in folders.values():
        (folder / "config.toml").open("a").write('\n[link]\ndelay = "200ms"\n')
    started = {role: roles.start(script, folder) for role, folder in there.items()}
    read_until(started["party_0"], f"({len(there) - 1} of 2)")
    os.kill(started["party_0"].pid, signal.SIGINT)
    ends = roles.finish(started)
    assert {end[0] for end in ends.values()} == {0}, ends
    assert ends["party_0"][1] == "interrupted\n"
    for role in set(there) - {"party_0"}:
        assert ends[role][1].splitlines()[-1] in ("RemoteFailure 3", "NetworkError 3")


def test_roles_are_threads_of_one_process_too(tmp_path):
    """If a role held the interpreter's lock while it waits for the other roles, it would wait forever."""
    folders = roles.init(tmp_path / "run", 3)

    @sotto.program(parties=3)
    def average(s, mine):
        return s.open(sum(s.input(mine, owner=p, shape=(2, 2), bound=8) for p in range(3)) / 2, name="half")

    data = [np.arange(4.0).reshape(2, 2) + p for p in range(3)]
    results, lines = {}, []

    def play(role, folder):
        config = sotto.Config(folder / "config.toml")
        mine = None if config.party is None else data[config.party]
        results[role] = average.run(config, mine, report=lines.append)

    threads = [threading.Thread(target=play, args=item) for item in folders.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = average.simulate(*data).value
    for role, result in results.items():
        assert result.rounds == average.plan().rounds
        assert result.value is None if role == "dealer" else np.array_equal(result.value, expected)
    assert len(results) == 4 and sum("is here" in line for line in lines) == 4 * 3


def test_what_tell_raises_ends_the_run(tmp_path):
    folders = roles.init(tmp_path / "run")
    program = sotto.program(lambda s: s.open(s.constant(1.0), name="one"))
    ends = {}

    def play(role):
        def report(line):
            if role == "party_0":
                raise LookupError("nobody listens")

        try:
            program.run(folders[role] / "config.toml", report=report)
        except (LookupError, sotto.Error) as error:
            ends[role] = error

    threads = [threading.Thread(target=play, args=(role,)) for role in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(ends["party_0"], LookupError)


def test_help_says_how_a_program_is_called(capsys):
    with pytest.raises(SystemExit) as end:
        sotto.Config.from_arguments(["--help"])
    assert end.value.code == 0 and "--config FILE" in capsys.readouterr().out


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return roles.init(tmp_path_factory.mktemp("wrong") / "run")


def opens(shape=(2,), **options):
    return sotto.program(lambda s, mine: s.open(s.input(mine, owner=0, shape=shape), name="x"), **options)


WRONG = {
    "no file": (lambda f: opens().run(f["party_0"] / "nowhere.toml", [1, 2]), "nowhere.toml"),
    "other parties": (lambda f: opens(parties=3).run(f["party_0"] / "config.toml", [1, 2]), "has 2 parties and 20 fraction"),
    "other bits": (lambda f: opens(bits=12).run(f["party_0"] / "config.toml", [1, 2]), "is of 2 and 12: make both alike"),
    "no data": (lambda f: opens().run(f["party_0"] / "config.toml"), "input: party 0 brings nothing: its data is missing"),
    "no shape": (lambda f: opens(None).run(f["dealer"] / "config.toml"), r"s.input\(mine, owner=0, shape=...\) says it"),
    "another shape": (lambda f: opens().run(f["party_0"] / "config.toml", [1]), r"expected the shape \(2,\)"),
    "a wrong setting": (lambda f: sotto.Config(f["party_0"] / "config.toml", settings=["run.bits=99"]), "bits"),
    "no such setting": (lambda f: sotto.Config(f["party_0"] / "config.toml", settings=["run.arms=2"]), "arms"),
    "a key that is not trusted": (
        lambda f: sotto.Config(f["party_0"] / "config.toml", settings=["trust.dealer=sha256:0"]),
        "dealer in .trust. must be a fingerprint",
    ),
    "no config": (lambda f: sotto.Config.from_arguments([]), "config: is required"),
    "another flag": (lambda f: sotto.Config.from_arguments(["--verbose", "1"]), "verbose"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_before_anything_is_connected(folders, name):
    call, expected = WRONG[name]
    with pytest.raises(ValueError, match=expected) as caught:
        call(folders)
    assert "\n" not in str(caught.value)


def test_a_receiver_is_of_programs_in_cpp(tmp_path):
    folders = roles.init(tmp_path / "run", 2, "--receiver")
    assert set(folders) == {"dealer", "party_0", "party_1", "receiver"}
    for role in folders:
        with pytest.raises(ValueError, match="open results only to parties: set receiver = false in"):
            opens().run(folders[role] / "config.toml", [1, 2])


def test_commands_in_messages_stay_commands(folders):
    """In messages, flags appear as Python arguments, except in a command that the user should type."""
    with pytest.raises(ValueError, match="`sotto keys trust --config ") as caught:
        sotto.Config(folders["party_0"] / "config.toml", settings=["run.receiver=true", "peers.party_1=127.0.0.1:1"])
    assert "receiver" in str(caught.value)


def test_a_port_in_use_is_a_lack_of_this_machine(folders):
    config = sotto.Config(folders["party_0"] / "config.toml")
    assert (config.role, config.party, config.parties, config.bits) == ("party 0", 0, 2, 20)
    assert repr(config) == "<config of party 0, 2 parties, 20 fraction bits>"
    assert config.data.endswith("data.csv") and sotto.Config(folders["dealer"] / "config.toml").data is None
    with roles.taken(folders["party_0"] / "config.toml", "party_0"):
        with pytest.raises(sotto.ResourceError) as caught:
            opens().run(config, [1, 2])
    assert caught.value.exit_code == 6 and isinstance(caught.value, RuntimeError)


def test_the_fourth_example_runs_over_the_network(tmp_path):
    folders = roles.init(tmp_path / "run")
    script = tmp_path / "4_logistic_regression.py"
    for name in (script.name, "example.py"):
        (tmp_path / name).write_text((EXAMPLES / name).read_text())
    ends = roles.finish({role: roles.start(script, folder) for role, folder in folders.items()})
    for role, (code, out, err) in ends.items():
        assert code == 0, out + err
        assert ("opened: weights" in out) == (role != "dealer")
