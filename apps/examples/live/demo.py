#!/usr/bin/env python3
"""A demo of the live service, in which a shop and its data partner decide together. This program starts all roles
and world.py on this machine, and world.py plays the visitors. Ctrl-C ends the demo."""

import argparse
import json
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from services import SHOP, Failed, Services, ends_with_its_starter
from visitors import ARMS, BASELINE, COLUMNS, columns_csv

REWARD_WAIT = 2


def service_settings():
    return {"arms": ",".join(ARMS), "baseline_arm": BASELINE, "reward_wait": f"{REWARD_WAIT}s",
            "batch_sizes": "1,16,64"}


def say(text):
    print(text, flush=True)


class Demo:
    def __init__(self, arguments):
        self.arguments = arguments
        self.services = None
        self.world = None
        self.interrupted = False

    def interrupt(self, *_):
        self.interrupted = True
        if self.world is not None and self.world.poll() is None:
            self.world.send_signal(signal.SIGINT)

    def start_services(self):
        say("Making the configs and keys of all roles, and asking a doctor at each")
        columns = {party: columns_csv(party) for party in COLUMNS}
        self.services = Services(self.arguments.sotto, self.arguments.out / "roles", service_settings(), columns,
                                 preprocessing=self.arguments.preprocessing)
        self.services.doctor()
        for role in self.services.names:
            self.services.start(role)
        say(f"All roles are ready after {self.services.wait_until_ready():.1f} s. Their pages, until the end:\n")
        for role in self.services.names:
            of_whom = "shop" if role in SHOP else "trusted by both" if role in ("dealer", "helper") else "partner"
            address, token = self.services.addresses[role], self.services.tokens[role]
            say(f"  {role:<9} {of_whom:<16} http://{address}/#token={token}")
        say("\nOr from a shell:\n")
        say(f"  curl -H \"Authorization: Bearer $(cat {self.services.folder / 'actor' / 'token'})\""
            f" http://{self.services.addresses['actor']}/v1/status\n")

    def start_world(self):
        say(f"Visitors come for {self.arguments.seconds:g} s, {self.arguments.rate:g} a second")
        roles = []
        for role in ("actor", "rewarder", "party_0", "party_1"):
            token = self.services.folder / role / "token"
            roles += ["--" + role.replace("_", "-"), f"{self.services.addresses[role]},{token}"]
        program = Path(__file__).resolve().parent / "world.py"
        self.world = subprocess.Popen(
            [sys.executable, str(program), *roles, "--seconds", str(self.arguments.seconds), "--rate",
             str(self.arguments.rate), "--reward-wait", str(REWARD_WAIT), "--seed", str(self.arguments.seed),
             "--result", str(self.arguments.out / "result.json")],
            start_new_session=True, preexec_fn=ends_with_its_starter)
        if self.interrupted:  # the interrupt came before world.py started
            self.interrupt()

    def play(self):
        """Waits for world.py. With --kills each role is killed and restarted once."""
        began = time.monotonic()
        kills = list(self.services.names) if self.arguments.kills else []
        done = []
        while self.world.poll() is None:
            self.services.watch()
            due = self.arguments.seconds * (len(done) + 1) / (len(self.services.names) + 1)
            if len(done) < len(kills) and not self.interrupted and time.monotonic() - began > due:
                role = kills[len(done)]
                self.services.kill(role)
                self.services.start(role)
                done.append({"role": role, "ready_after_s": round(self.services.wait_until_ready(), 3)})
                say(f"  {role} was killed and started again; all are ready after {done[-1]['ready_after_s']:.1f} s")
            time.sleep(0.05)
        if self.world.returncode != 0:
            raise Failed(f"the world has ended with {self.world.returncode}")
        return done

    def run(self):
        self.start_services()
        self.start_world()
        kills = self.play()
        number = self.services.drain()
        self.services.stop()
        say(f"\nDrained at number {number}, and all roles have ended. Their logs are in {self.services.folder}.")
        self.keep(kills, number)

    def keep(self, kills, number):
        file = self.arguments.out / "result.json"
        result = json.loads(file.read_text())
        result["kills"] = kills
        result["number"] = number
        file.write_text(json.dumps(result, indent=2) + "\n")

    def clean_up(self):
        if self.world is not None and self.world.poll() is None:
            self.world.kill()
            self.world.wait()
        if self.services is None or not self.services.processes:
            return
        try:
            self.services.stop()
        except Failed as error:
            print(f"demo: {error}", file=sys.stderr)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sotto", default="sotto", help="the program")
    parser.add_argument("--out", type=Path, help="folder to make, by default sotto-runs/live-<UTC time>")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=100, help="visitors a second")
    parser.add_argument("--seed", type=int, default=1, help="of the visitors")
    parser.add_argument("--preprocessing", choices=("dealer", "helper", "ot"), default="dealer",
                        help="who makes the randomness: a dealer, both parties with a helper, or both by oblivious transfers")
    parser.add_argument("--kills", action="store_true", help="kill and restart each role once meanwhile")
    arguments = parser.parse_args()
    if not 0 < arguments.seconds <= 86400 or not 0 < arguments.rate <= 1000:
        parser.error("--seconds is above 0 and at most 86400, --rate at most 1000")
    if arguments.out is None:
        arguments.out = Path("sotto-runs") / datetime.now(timezone.utc).strftime("live-%Y%m%dT%H%M%SZ")
    return arguments


def main():
    arguments = parsed()
    arguments.out.mkdir(parents=True, exist_ok=True)
    demo = Demo(arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, demo.interrupt)
    try:
        demo.run()
    except (Failed, OSError) as error:
        if not demo.interrupted:
            print(f"demo: {error}", file=sys.stderr)
        demo.clean_up()
        sys.exit(130 if demo.interrupted else 1)


if __name__ == "__main__":
    main()
