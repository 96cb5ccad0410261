"""heft watch --serve and --log: the page in a browser, events and metrics by the standard library's HTTP, tokens and foreign names,
clients that do not read, signals; files that grow; samples in the convention of a device."""

import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest
import urllib.parse

from browser import Tab, browser_path, shared_browser
from heft_program import JOINTS, PROGRAM, SOURCE
from test_watch import FAULT_S, WatchCase

PATIENCE_S = 60
METRIC = re.compile(r'(heft_[a-z_]+)(?:\{([a-z]+)="((?:[^"\\]|\\.)*)"\})? (NaN|[-+0-9.e]+|[-+]Inf)')


class Address:
    """What a Tab opens instead of a path."""

    def __init__(self, url):
        self.url = url

    def resolve(self):
        return self

    def as_uri(self):
        return self.url


class Live:
    """A running `heft watch` that follows a file, which the test appends to."""

    def __init__(self, case, *flags, header=None):
        self.path = case.scratch / "live.csv"
        self.path.write_text(header or ",".join(case.header) + "\n")
        self.process = subprocess.Popen([PROGRAM, "watch", "--model", case.model, "--log", self.path, *map(str, flags)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.kill)
        self.url = None
        if "--serve" not in flags:
            return
        said = ""
        while self.url is None:
            line = self.process.stderr.readline()
            said += line
            if "needs cpp-httplib" in said:
                raise unittest.SkipTest("built without cpp-httplib: install libcpp-httplib-dev")
            if not line:
                raise AssertionError(said)
            if line.startswith("page: "):
                self.url = line.split()[1]
        self.parts = urllib.parse.urlsplit(self.url)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def append(self, rows):
        with self.path.open("a") as file:
            file.write("".join(",".join(row) + "\n" for row in rows))

    def connection(self):
        return http.client.HTTPConnection(self.parts.hostname, self.parts.port, timeout=PATIENCE_S)

    def get(self, path, method="GET", **headers):
        connection = self.connection()
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), text

    def metrics(self):
        status, headers, text = self.get("/metrics")
        if status != 200 or "version=0.0.4" not in headers["Content-Type"]:
            raise AssertionError(f"{status} {headers} {text}")
        found = {}
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, _, label, value = METRIC.fullmatch(line).groups()
            found.setdefault(name, {})[label] = float(value)
        return found

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("never came true")
            time.sleep(0.05)

    def wait_for_samples(self, count):
        self.wait_for(lambda: self.metrics()["heft_samples_total"][None] >= count)

    def events(self, until):
        """Events from the beginning, as (name, data), until one for which `until` is true."""
        connection = self.connection()
        connection.request("GET", "/events")
        answer = connection.getresponse()
        found, name = [], None
        if answer.status != 200 or not answer.getheader("Content-Type").startswith("text/event-stream"):
            raise AssertionError(answer.status)
        while True:
            line = answer.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                name = line[7:]
            if line.startswith("data: "):
                found.append((name, json.loads(line[6:])))
                if until(*found[-1]):
                    connection.close()
                    return found

    def stop(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        out, errors = self.process.communicate(timeout=PATIENCE_S)
        return time.monotonic() - begin, [json.loads(line) for line in out.splitlines()], errors


class WatchPage(WatchCase):
    def with_a_fault(self, rows):
        tau = self.column("tau_joint_2")
        changed = [list(row) for row in rows]
        for row in changed:
            if float(row[0]) >= FAULT_S:
                row[tau] = repr(0.8 * float(row[tau]))
        return changed

    def test_metrics_follow_the_lines_and_are_documented(self):
        live = Live(self, "--serve", "0")
        live.append(self.with_a_fault(self.rows))
        live.append([["nan"] * len(self.header), *[row[:-1] for row in self.rows[:3]]])
        live.wait_for_samples(len(self.rows))
        live.wait_for(lambda: live.metrics()["heft_errors_total"][None] >= 2)
        metrics = live.metrics()
        gain = "gain joint_2"
        self.assertGreaterEqual(metrics["heft_changes_total"][gain], 1)
        self.assertAlmostEqual(metrics["heft_change_size"][gain], -0.2, delta=0.05)
        self.assertEqual(metrics["heft_certified"], {None: 1})
        self.assertGreater(metrics["heft_answers_total"][None], 1)
        self.assertGreater(metrics["heft_push_seconds"]["0.9999"], metrics["heft_push_seconds"]["0.5"])
        self.assertEqual(len([name for name in metrics["heft_column"] if name.startswith("coulomb ")]), len(JOINTS))
        result = json.loads((self.model / "result.json").read_text())
        self.assertEqual(list(metrics["heft_body_mass_kilograms"]), [body["name"] for body in result["bodies"]])
        page = (SOURCE / "docs" / "watch.md").read_text()
        self.assertEqual(set(metrics), set(re.findall(r"`(heft_[a-z_]+)`", page)))
        idle = metrics["heft_input_idle_seconds"][None]
        time.sleep(0.3)
        self.assertGreater(live.metrics()["heft_input_idle_seconds"][None], idle + 0.2)
        seconds, lines, errors = live.stop()
        self.assertEqual(live.process.returncode, 5, errors)
        self.assertLess(seconds, 5)
        changes = [line for line in lines if line["what"] == gain]
        self.assertEqual(changes[-1]["size"], metrics["heft_change_size"][gain])
        # what the lines say is what the metrics said, at the end
        self.assertEqual(len(self.of_type(lines, "error")), metrics["heft_errors_total"][None])

    def test_events_bring_lines_torques_and_answers(self):
        live = Live(self, "--serve", "0")
        live.append(self.rows[:5000])  # 20 s
        live.wait_for_samples(4750)
        events = live.events(lambda name, data: name == "line" and data["t"] > 18)
        rows = [row for name, data in events if name == "rows" for row in data]
        self.assertEqual({len(row) for row in rows}, {1 + 2 * len(JOINTS)})
        times = [row[0] for row in rows]
        self.assertTrue(all(0.039 < b - a < 0.2 for a, b in zip(times, times[1:])), "at most 25 samples per second")
        # the columns measured and predicted are those of which the lines give the relative error
        squares = [0.0, 0.0]
        for row in rows:
            if row[0] > 8:
                measured, predicted = row[1:1 + len(JOINTS)], row[1 + len(JOINTS):]
                squares[0] += sum((m - p) ** 2 for m, p in zip(measured, predicted))
                squares[1] += sum(m ** 2 for m in measured)
        state = [data for name, data in events if name == "line" and data["type"] == "state"][-1]
        self.assertAlmostEqual((squares[0] / squares[1]) ** 0.5, state["error_relative"], delta=0.5 * state["error_relative"])
        answer = [data for name, data in events if name == "answer"][-1]
        self.assertTrue(answer["certified"])
        metrics = live.metrics()
        self.assertEqual(len(answer["masses"]), len(metrics["heft_body_mass_kilograms"]))
        self.assertEqual(len(answer["columns"]), len(metrics["heft_column"]))
        live.process.send_signal(signal.SIGTERM)
        self.assertEqual(live.process.wait(10), 5)

    def test_an_end_of_the_input_is_an_event(self):
        live = Live(self, "--serve", "0", "--idle", 2)
        live.append(self.rows[:1000])
        events = live.events(lambda name, data: name == "end")
        self.assertEqual(len([data for name, data in events if name == "line" and data["type"] == "state"]), 5)  # 4 s and the last
        self.assertIn(live.process.wait(10), (0, 3))

    def test_other_methods_names_and_paths_are_refused(self):
        live = Live(self, "--serve", "0")
        for path, method, headers, status in (("/", "GET", {}, 200), ("/", "POST", {}, 405), ("/", "DELETE", {}, 405),
                                              ("/", "GET", {"Host": "evil.example"}, 403),
                                              ("/metrics", "GET", {"Host": f"evil.example:{live.parts.port}"}, 403),
                                              ("/", "GET", {"Host": f"localhost:{live.parts.port}"}, 200),
                                              ("/etc/passwd", "GET", {}, 404), ("/../../etc/passwd", "GET", {}, 404)):
            with self.subTest(f"{method} {path} {headers}"):
                got, sent, _ = live.get(path, method, **headers)
                self.assertEqual(got, status)
        self.assertNotIn("Access-Control-Allow-Origin", sent)

    def test_other_addresses_need_the_token(self):
        live = Live(self, "--serve", "0.0.0.0:0")
        token = urllib.parse.parse_qs(live.parts.query)["token"][0]
        self.assertRegex(token, "^[0-9a-f]{32}$")
        live.parts = live.parts._replace(netloc=f"127.0.0.1:{live.parts.port}")
        for path, headers, status in (("/", {}, 401), ("/metrics", {}, 401), ("/events", {}, 401), ("/?token=" + "0" * 32, {}, 401),
                                      (f"/?token={token[:-1]}", {}, 401), (f"/?token={token}", {}, 200),
                                      ("/metrics", {"Authorization": f"Bearer {token}"}, 200),
                                      ("/metrics", {"Authorization": f"Bearer {token}x"}, 401)):
            with self.subTest(path):
                self.assertEqual(live.get(path, **headers)[0], status)
        other = Live(self, "--serve", "0.0.0.0:0")
        self.assertNotEqual(live.url, other.url)

    def test_addresses_that_cannot_be_served_are_refused(self):
        live = Live(self, "--serve", "0")
        for address, words in (("eighty", "is not a port"), ("70000", "is not a port"), ("-1", "is not a port"),
                               ("::1:80", "is not a port"), (":80", "is not a port"), ("192.0.2.1:8080", "cannot listen"),
                               (str(live.parts.port), "cannot listen")):
            with self.subTest(address):
                done = subprocess.run([PROGRAM, "watch", "--model", self.model, f"--serve={address}"], input="", timeout=60,
                                      capture_output=True, encoding="utf-8")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)

    def test_clients_that_do_not_read_hold_up_nothing(self):
        live = Live(self, "--serve", "0", "--every", "1")
        live.append(self.rows[:2000])
        live.wait_for_samples(2000)

        def resident_kb():
            status = pathlib.Path(f"/proc/{live.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

        sockets = []
        for _ in range(8):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((live.parts.hostname, live.parts.port))
            client.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sockets.append(client)
        live.wait_for(lambda: live.get("/events")[0] == 503)
        begin, before = time.monotonic(), resident_kb()
        for k in range(8):  # 8 s of samples in as many lines as fit
            live.append(self.rows[2000 + 250 * k:2250 + 250 * k])
            time.sleep(0.1)
        live.wait_for_samples(4000)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertLess(resident_kb() - before, 20000)
        self.assertLess(live.stop()[0], 8)
        for client in sockets:
            client.close()

    def open(self, live, **options):
        browser_path()  # skips aloud
        tab = Tab(shared_browser(), Address(live.url), **options)
        self.addCleanup(tab.close)
        return tab

    def assert_quiet(self, tab, live):
        tab.settle()
        self.assertEqual(tab.faults, [])
        for request in tab.requests:
            self.assertTrue(request.startswith(f"http://{live.parts.netloc}/"), request)

    def test_the_page_draws_what_arrives(self):
        live = Live(self, "--serve", "0")
        tab = self.open(live)
        self.assertIn("Waiting for samples", tab.run("document.getElementById('verdict').textContent"))
        live.append(self.with_a_fault(self.rows))
        live.wait_for_samples(len(self.rows) - 250)
        tab.until("document.querySelectorAll('#changes tbody tr').length > 0")
        tab.until("document.querySelectorAll('#torques svg').length >= 4")  # those in view
        self.assertEqual(tab.run("[...document.querySelectorAll('main section')].map(s => s.id)"),
                         ["verdict", "changes", "torques", "error", "bodies"])
        self.assertEqual(tab.run("document.querySelectorAll('#torques figure').length"), len(JOINTS))
        row = tab.run("[...document.querySelectorAll('#changes tbody tr')].map(r => r.textContent).join('|')")
        self.assertRegex(row, r"gain joint_2−\d+(\.\d)? %")
        self.assertRegex(tab.run("document.getElementById('verdict').textContent"), r"^Certified\..*found")
        result = json.loads((self.model / "result.json").read_text())
        names = tab.run("[...document.querySelector('#bodies tbody').rows].map(r => r.cells[0].textContent)")
        self.assertEqual(names, [body["name"] for body in result["bodies"]])
        tab.until("/inside|outside/.test(document.getElementById('bodies').textContent)")
        tab.run("scrollTo(0, document.getElementById('error').offsetTop - 300)")
        tab.until("document.querySelectorAll('#error svg').length === 1")
        drawn = "document.querySelector('#torques figure path.predicted').getAttribute('d')"
        tab.run("scrollTo(0, 0)")
        before = tab.run(drawn)
        tab.click("#torques button")
        late = [[repr(float(row[0]) + 60), *row[1:]] for row in self.rows[:2000]]
        live.append(late)
        live.wait_for_samples(len(self.rows) + 1750)
        tab.run("new Promise(done => setTimeout(() => done(true), 1200))")
        self.assertEqual(tab.run(drawn), before, "paused")
        tab.click("#torques button")
        tab.until(f"{drawn} !== {json.dumps(before)}")
        self.assert_quiet(tab, live)
        live.process.send_signal(signal.SIGTERM)
        tab.until("document.getElementById('tiles').textContent.includes('has ended')")
        self.assertEqual(live.process.wait(10), 5)

    def test_the_page_fits_a_phone_and_the_dark(self):
        live = Live(self, "--serve", "0")
        live.append(self.rows[:5000])
        live.wait_for_samples(4750)
        tab = self.open(live, width=390, height=844, scheme="dark", phone=True)
        tab.until("document.querySelectorAll('#torques svg').length >= 2")
        self.assertLessEqual(tab.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(tab.run("getComputedStyle(document.body).backgroundColor"), "rgb(21, 24, 28)")
        self.assert_quiet(tab, live)


class WatchInput(WatchCase):
    def test_a_file_that_grows_gives_the_lines_of_standard_input(self):
        whole = self.watch(self.text(self.rows[:3000]))
        live = Live(self, "--idle", 3)
        text = self.text(self.rows[:3000]).split("\n", 1)[1]
        at = 0
        for k in range(7):  # ends within lines
            end = len(text) if k == 6 else at + len(text) // 7 + 3
            with live.path.open("a") as file:
                file.write(text[at:end])
            at = end
            time.sleep(0.1)
        out, errors = live.process.communicate(timeout=PATIENCE_S)
        self.assertEqual(live.process.returncode, 0, errors)
        lines = [json.loads(line) for line in out.splitlines()]
        keys = ("t", "type", "what", "size", "error_relative")
        self.assertEqual([[line[key] for key in keys] for line in lines], [[line[key] for key in keys] for line in whole])

    def test_files_that_cannot_be_followed_are_refused(self):
        binary = self.scratch / "log.mcap"
        binary.write_bytes(b"\x89MCAP0\r\n" + b"\0" * 100)
        for path, words in ((binary, "follow-log FILE"), (binary, "is not text"), (self.scratch, "is not a file of lines"), (self.scratch / "none.csv", "cannot be opened")):
            with self.subTest(words):
                done = subprocess.run([PROGRAM, "watch", "--model", self.model, "--log", path], timeout=60, capture_output=True,
                                      encoding="utf-8")
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
        done = subprocess.run([PROGRAM, "watch", "--model", self.model, "--idle", "1"], input="", timeout=60, capture_output=True,
                              encoding="utf-8")
        self.assertIn("applies only with --log", done.stderr)

    def test_a_file_that_is_replaced_ends_the_run(self):
        for shorten in (True, False):
            with self.subTest(shorten=shorten):
                live = Live(self)
                live.append(self.rows[:1000])
                self.assertEqual(json.loads(live.process.stdout.readline())["type"], "state")
                if shorten:
                    live.path.write_text(",".join(self.header) + "\n")
                else:
                    (self.scratch / "new.csv").write_text(self.text(self.rows[:10]))
                    (self.scratch / "new.csv").rename(live.path)
                _, errors = live.process.communicate(timeout=PATIENCE_S)
                self.assertEqual(live.process.returncode, 1)
                self.assertIn("was replaced or became shorter", errors)

    def test_a_signal_ends_the_wait_for_more(self):
        live = Live(self)
        live.append(self.rows[:1000])
        self.assertEqual(json.loads(live.process.stdout.readline())["type"], "state")
        seconds, lines, errors = live.stop()
        self.assertEqual(live.process.returncode, 5, errors)
        self.assertLess(seconds, 5)

    def test_samples_of_a_device_are_read_in_its_convention(self):
        """franka_log: milliseconds, names of its own; the same motion gives the same lines."""
        lines = self.watch(self.text(self.rows[:2000]))
        names = {"t": "time", **{f"q_joint_{i}": f"state.q[{i - 1}]" for i in range(1, 8)},
                 **{f"tau_joint_{i}": f"state.tau_J[{i - 1}]" for i in range(1, 8)}}
        kept = [k for k, name in enumerate(self.header) if name in names]
        header = ",".join(names[self.header[k]] for k in kept)
        rows = [[repr(1000 * float(row[0])) if self.header[k] == "t" else row[k] for k in kept] for row in self.rows[:2000]]
        text = header + "\n" + "\n".join(",".join(row) for row in rows) + "\n"
        device = self.watch(text, "--log.device", "franka_log")
        self.assertEqual([line["type"] for line in device], [line["type"] for line in lines])
        for ours, theirs in zip(device, lines):
            self.assertAlmostEqual(ours["t"], theirs["t"], places=9)
            if theirs["error_relative"] is not None:
                self.assertAlmostEqual(ours["error_relative"], theirs["error_relative"], places=9)
        self.watch(text, exit_code=1)  # without the device

    def test_conventions_that_do_not_fit_are_refused(self):
        for flags, words in ((["--log.device", "frnka"], "is not a known device"), (["--log.device", "ur_rtde"], "log.torque_scale"),
                             (["--log.device", "ur_ros2_driver_torque"], "without gravity"), (["--log.device", "franka_tau_ext"], "external torques"),
                             (["--log.time_unit", "iso"], "line by line"), (["--log.unwrap", "true"], "do not jump")):
            with self.subTest(words):
                done = subprocess.run([PROGRAM, "watch", "--model", self.model, *flags], input=self.text(self.rows[:100]), timeout=60,
                                      capture_output=True, encoding="utf-8")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(words, done.stderr)
