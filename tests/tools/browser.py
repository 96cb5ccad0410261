"""A headless browser for tests of pages: Chromium controlled by the DevTools protocol over a pipe, with the standard library alone.
HEFT_BROWSER may name it, otherwise it is chromium in the PATH; without it tests are skipped with a message."""

import atexit
import base64
import fcntl
import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest

PATIENCE_S = 60  # of any answer: a loaded machine is slow


def browser_path():
    path = os.environ.get("HEFT_BROWSER") or shutil.which("chromium")
    if not path or not os.access(path, os.X_OK):
        raise unittest.SkipTest("no browser: install Debian's chromium, or let HEFT_BROWSER name one")
    return path


class Browser:
    """Chromium with its own profile. Messages are JSON that ends in a zero byte: commands on descriptor 3, replies and events on 4."""

    def __init__(self, *flags):
        path = browser_path()
        self._folder = tempfile.TemporaryDirectory(prefix="heft-browser-", ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # out of the way of 3 and 4
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]

        def connect():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            [path, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars", "--mute-audio",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             "--disable-gpu-compositing", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--user-data-dir={self._folder.name}", *root,
             *flags, "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for end in (theirs_in, theirs_out, *high):
            os.close(end)
        self._last_id, self._buffer, self._events = 0, b"", []

    def close(self):
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except Exception:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    def call(self, method, session=None, **parameters):
        """The result of a command."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        wanted, end = self._last_id, time.monotonic() + PATIENCE_S
        while True:
            answer = self._read(end)
            if answer is None:
                raise AssertionError(f"the browser did not answer {method} within {PATIENCE_S} s")
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def events(self, session):
        """The events of a session since the last call, as (method, parameters)."""
        self._drain()
        mine = [event for event in self._events if event.get("sessionId") == session]
        self._events = [event for event in self._events if event.get("sessionId") != session]
        return [(event["method"], event["params"]) for event in mine]

    def _drain(self):
        while self._read(time.monotonic()) is not None:
            pass

    def _read(self, end):
        """The next message; events are also recorded. None if nothing arrives before `end`."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            read = os.read(self._in, 1 << 20)
            if not read:
                raise AssertionError("the browser has ended")
            self._buffer += read
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self._events.append(message)
        return message


@functools.lru_cache(maxsize=None)
def shared_browser(*flags):
    """One browser for all tests of a process, per set of flags."""
    browser = Browser(*flags)
    atexit.register(browser.close)
    return browser


class Tab:
    """An opened page of `width` x `height` pixels, with `scheme` light or dark. `faults` are console errors and exceptions, `requests` all
    requested addresses."""

    def __init__(self, browser, path, width=1100, height=900, scheme="light", phone=False):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._target = target
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.faults, self.requests = [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone, maxTouchPoints=2)
        self.set_scheme(scheme)
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.until("document.readyState === 'complete' && document.querySelector('h1') !== null || "
                   "document.readyState === 'complete' && performance.now() > 20000")
        self.settle()

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)

    def set_scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def run(self, expression):
        """The value of a JavaScript expression, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not self.run(condition):
            if time.monotonic() > end:
                raise AssertionError(f"never came true: {condition}")
            time.sleep(0.05)

    def settle(self):
        """Waits for two frames; records faults and requests."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        for method, event in self._browser.events(self._session):
            if method == "Runtime.exceptionThrown":
                self.faults.append(str(event["exceptionDetails"].get("exception", event["exceptionDetails"])))
            elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "assert"):
                self.faults.append(" ".join(str(a.get("value", a.get("description"))) for a in event["args"]))
            elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
                self.faults.append(event["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                self.requests.append(event["request"]["url"])

    def box(self, selector, index=0):
        """Scrolls to the middle of the element and returns its place in the window: {x, y, width, height}."""
        return self.run(f"""(() => {{
            const node = document.querySelectorAll({json.dumps(selector)})[{index}];
            node.scrollIntoView({{block: "center"}});
            const box = node.getBoundingClientRect();
            return {{x: box.x, y: box.y, width: box.width, height: box.height}};
        }})()""")

    def mouse(self, kind, x, y, **parameters):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def drag(self, start, end, steps=4):
        self.move(*start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for k in range(1, steps + 1):
            place = [a + k / steps * (b - a) for a, b in zip(start, end)]
            self.mouse("mouseMoved", *place, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def click(self, selector, index=0, times=1):
        box = self.box(selector, index)
        place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for count in range(1, times + 1):
            self.mouse("mousePressed", *place, button="left", clickCount=count)
            self.mouse("mouseReleased", *place, button="left", clickCount=count)
        self.settle()

    def touch(self, *paths):
        """Moves fingers along paths with equal numbers of points, all at once."""
        points = [[{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(step)] for step in zip(*paths)]
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points[0])
        for step in points[1:]:
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=step)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def picture(self, whole=False):
        """A PNG of the window, or of the whole page."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])
