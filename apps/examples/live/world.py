#!/usr/bin/env python3
"""Plays the visitors of a decision service. This program communicates with the roles only by HTTP.

For each visitor, each company sends its facts about the visitor to its own party, and the shop asks for an arm. The
rewarder receives the clicks. At the end the program compares the shown arms with the best arms, uniform arms and a
plain-text twin.
"""

import argparse
import json
import os
import queue
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import twin
from calls import Role, Unreachable
from visitors import ARMS, Visitor

PLAYS_OF_TWIN = 10


class World:
    def __init__(self, roles, arguments):
        self.roles = roles
        self.arguments = arguments
        self.lock = threading.Lock()
        self.shown = []  # tuples (seconds, visitor, arm, status)
        self.counts = dict.fromkeys(("came", "clicks", "late", "again", "left"), 0)
        self.clicks = queue.PriorityQueue()  # tuples (time, visitor number, event)
        self.end = threading.Event()
        self.began = time.monotonic()

    def count(self, name, by=1):
        with self.lock:
            self.counts[name] += by

    def ask(self, role, method, path, body):
        return self.roles[role].ask(method, path, body, self.arguments.patience, lambda: self.count("again"))

    def visit(self, number):
        """Plays one visitor."""
        visitor = Visitor(self.arguments.seed, number, self.arguments.reward_wait)
        event = os.urandom(16).hex()  # a random id, which reveals nothing about the visitor
        try:
            for party, values in visitor.features.items():
                status, _ = self.ask(party, "PUT", f"/v1/events/{event}/features", {"schema": 1, "x": values})
                expect(status == 204, f"features: {status}")
            status, answer = self.ask("actor", "POST", "/v1/decisions", {"event": event})
            expect(status == 200, f"decision: {status} {answer}")
        except Unreachable:
            return self.count("left")
        arm = answer["arm"]
        with self.lock:
            self.shown.append((time.monotonic() - self.began, visitor, arm, answer["status"]))
        if visitor.clicks(arm):
            self.clicks.put((time.monotonic() + visitor.delay, number, event))

    def click(self, event):
        try:
            status, _ = self.ask("rewarder", "POST", f"/v1/events/{event}/reward", {"value": 1, "reward_id": "click"})
        except Unreachable:
            return
        expect(status in (204, 410), f"reward: {status}")
        self.count("clicks" if status == 204 else "late")

    def send_clicks(self, pool):
        """Sends each click at its time. Returns when the run has ended and no click is pending."""
        while not (self.end.is_set() and self.clicks.empty()):
            try:
                when, number, event = self.clicks.get(timeout=0.1)
            except queue.Empty:
                continue
            if when <= time.monotonic():
                watched(pool, self.click, event)
            else:
                self.clicks.put((when, number, event))
                time.sleep(0.01)

    def play(self, progress):
        arrivals = random.Random(f"arrivals {self.arguments.seed}")
        end = self.began + self.arguments.seconds
        due = self.began
        with ThreadPoolExecutor(self.arguments.threads) as visits, ThreadPoolExecutor(16) as clicks:
            clicking = threading.Thread(target=self.send_clicks, args=(clicks,))
            clicking.start()
            while not self.end.is_set() and due < end:
                while due > time.monotonic() and not self.end.wait(min(0.2, max(0, due - time.monotonic()))):
                    progress(self)
                progress(self)
                watched(visits, self.visit, self.counts["came"])
                self.counts["came"] += 1
                due += arrivals.expovariate(self.arguments.rate)
            visits.shutdown(wait=True)
            self.end.set()
            clicking.join()

    def result(self):
        arguments = self.arguments
        shown = sorted(self.shown, key=lambda each: each[0])
        expect(shown, "nobody was shown anything")
        timed = [(when, visitor) for when, visitor, _, _ in shown]
        twins = [twin.play(timed, ARMS, arguments.epsilon, arguments.reward_wait, f"{arguments.seed} {i}")
                 for i in range(PLAYS_OF_TWIN)]
        average = mean(visitor.worth(arm) for _, visitor, arm, _ in shown)
        return {
            "visitors": self.counts["came"], "shown": len(shown), "left": self.counts["left"],
            "baselines": sum(status == "baseline" for _, _, _, status in shown), "again": self.counts["again"],
            "clicks": self.counts["clicks"], "late_clicks": self.counts["late"],
            "seconds": round(shown[-1][0], 3), "arms": len(ARMS), "epsilon": arguments.epsilon,
            "average_reward": average, "plaintext_average_reward": mean(twins),
            "best_average_reward": mean(visitor.best() for _, visitor in timed),
            "uniform_average_reward": mean(visitor.uniform() for _, visitor in timed),
            "of_plaintext": average / mean(twins),
        }


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def expect(holds, otherwise):
    if not holds:
        raise RuntimeError(otherwise)


def watched(pool, work, argument):
    """Runs a task in the pool, and ends this program if the task fails."""
    def done(future):
        if future.exception() is not None:
            print(f"world: {future.exception()!r}", file=sys.stderr, flush=True)
            os._exit(1)
    pool.submit(work, argument).add_done_callback(done)


class Progress:
    """Prints one line a second on a terminal, otherwise one line every ten seconds."""

    def __init__(self):
        self.terminal = sys.stdout.isatty()
        self.next = 0.0
        self.worth = 0.0
        self.counted = 0

    def __call__(self, world):
        passed = time.monotonic() - world.began
        if passed < self.next:
            return
        self.next = passed + (1 if self.terminal else 10)
        with world.lock:
            fresh = world.shown[self.counted:]
            waiting = world.counts["came"] - len(world.shown) - world.counts["left"]
        self.worth += sum(visitor.worth(arm) for _, visitor, arm, _ in fresh)
        self.counted += len(fresh)
        if not self.counted:
            return
        text = (f"  {passed:4.0f} s  {self.counted:7,} arms shown, worth {self.worth / self.counted:.3f} each,"
                f" {waiting} visitors wait")
        print(f"\r{text}\033[K" if self.terminal else text, end="" if self.terminal else "\n", flush=True)

    def end(self):
        if self.terminal:
            print("\r\033[K", end="")


def summary(result):
    rows = [
        ("average reward", f"{result['average_reward']:.4f}", "what the arms that were shown are worth"),
        ("plain-text twin", f"{result['plaintext_average_reward']:.4f}",
         f"same visitors and delays on open data, mean of {PLAYS_OF_TWIN} plays"),
        ("of the twin's", f"{100 * result['of_plaintext']:.1f}%", ""),
        ("best arm", f"{result['best_average_reward']:.4f}", "of each visitor"),
        ("uniform play", f"{result['uniform_average_reward']:.4f}", ""),
        ("clicks", f"{result['clicks']:,}", f"and {result['late_clicks']:,} that came too late to be learned"),
        ("baseline arms", f"{result['baselines']:,}", "told at their deadline"),
        ("tried again", f"{result['again']:,}", "calls that a role did not answer at first"),
        ("left", f"{result['left']:,}", "visitors who received nothing"),
    ]
    head = f"{result['shown']:,} visitors in {result['seconds']:.0f} s, {result['arms']} arms, epsilon {result['epsilon']:g}"
    return "\n".join([head, *(f"  {name:<17} {value:<10} {remark}".rstrip() for name, value, remark in rows)])


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for role in ("actor", "rewarder", "party_0", "party_1"):
        parser.add_argument("--" + role.replace("_", "-"), required=True, metavar="ADDRESS[,TOKEN_FILE]",
                            help="unix:PATH or host:port of its interface")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=100, help="visitors a second")
    parser.add_argument("--reward-wait", type=float, default=2, help="reward_wait of the service, in seconds")
    parser.add_argument("--epsilon", type=float, default=0.1, help="of the service")
    parser.add_argument("--seed", type=int, default=1, help="of the visitors")
    parser.add_argument("--threads", type=int, default=100, help="visitors at once")
    parser.add_argument("--patience", type=float, default=20, help="seconds for which a call is tried again")
    parser.add_argument("--result", type=Path, help="JSON file for the figures")
    return parser.parse_args()


def role_of(text):
    address, _, token_file = text.partition(",")
    return Role(address, Path(token_file).read_text().strip() if token_file else None)


def main():
    arguments = parsed()
    roles = {role: role_of(getattr(arguments, role)) for role in ("actor", "rewarder", "party_0", "party_1")}
    world = World(roles, arguments)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: world.end.set())
    progress = Progress()
    world.play(progress)
    progress.end()
    result = world.result()
    if arguments.result:
        arguments.result.write_text(json.dumps(result, indent=2) + "\n")
    print(summary(result))


if __name__ == "__main__":
    main()
