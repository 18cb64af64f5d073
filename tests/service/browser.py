"""A headless Chromium that a test controls over a pipe with the DevTools protocol."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time

WITHIN = 60.0


class Browser:
    """Shows one page at a time. `errors` has the errors of the page's console and scripts."""

    def __init__(self, profile):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # The browser reads from descriptor 3 and writes to descriptor 4. The pipes' own descriptors are moved above 4,
        # because dup2 would overwrite them.
        commands, answers = above_four(commands), above_four(answers)

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=place, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.text = b""
        self.number = 0
        self.session = None
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(domain + ".enable")

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.hear()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def hear(self):
        while b"\0" not in self.text:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise RuntimeError(f"the browser has ended with {self.process.wait()}")
            self.text += more
        message, self.text = self.text.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(told["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(told["args"]))
        if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        if method == "Network.loadingFailed" and not told.get("canceled"):
            self.errors.append("not loaded: " + told["errorText"])

    def before_each_page(self, script):
        """Runs the script in every page that is opened from now on, before the page's own scripts."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, address):
        failed = self.call("Page.navigate", url=address).get("errorText")
        if failed:
            raise RuntimeError(f"{address}: {failed}")
        self.wait_until("document.readyState === 'complete'")

    def value(self, expression):
        """Returns the value of the expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until(self, expression):
        end = time.monotonic() + WITHIN
        while not self.value(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"never so: {expression}")
            time.sleep(0.05)

    def texts(self, selector):
        """Returns the visible text of each element that the selector finds."""
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent.trim())")

    def tiles(self, selector, figure="dd"):
        """Returns {name: figure} of a list of tiles."""
        names, figures = self.texts(f"{selector} dt"), self.texts(f"{selector} {figure}")
        assert len(names) == len(figures), (names, figures)
        return dict(zip(names, figures))

    def rows(self, selector):
        """Returns the cells of each row of a table."""
        return self.value(f"[...document.querySelectorAll({json.dumps(selector + ' tr')})].map("
                          "(row) => [...row.cells].map((cell) => cell.textContent.trim()))")


def above_four(descriptor):
    if descriptor > 4:
        return descriptor
    higher = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 5)
    os.close(descriptor)
    return higher
