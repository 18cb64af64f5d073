#!/usr/bin/env python3
"""A world for `sotto bandit --world unix:PATH`. The world plays the visitors. Each of two companies knows two numbers
about every visitor.

    python3 apps/examples/world.py world.sock &
    sotto bandit --world unix:world.sock --columns 2,2 --arms 3 --steps 1000
"""
import json
import os
import random
import socketserver
import sys


def visitor(step):  # the same visitor for all callers
    numbers = random.Random(step)
    return [[numbers.uniform(-0.5, 0.5) for _ in range(2)] for _ in range(2)]


class Line(socketserver.StreamRequestHandler):
    def handle(self):
        name = json.loads(self.rfile.readline())["line"]  # "world", "party 0" or "party 1"
        for asked in map(json.loads, self.rfile):
            (a, b), (c, d) = parts = visitor(asked["step"])
            if name == "world":  # asks for rewards
                liked = max(range(3), key=lambda arm: (a + c, b - d, -a - b)[arm])
                answer = {"reward": int(asked["arm"] == liked)}
            else:
                answer = {"x": parts[int(name.split()[1])]}
            self.wfile.write(json.dumps(answer).encode() + b"\n")


if os.path.exists(sys.argv[1]):
    os.unlink(sys.argv[1])
socketserver.ThreadingUnixStreamServer(sys.argv[1], Line).serve_forever()
