"""A real Chromium, driven over the pipe of its DevTools: nothing beyond the standard library is needed."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from pathlib import Path

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
KEYS = {
    "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "PageUp": 33,
    "PageDown": 34, "Enter": 13, "Escape": 27, "Tab": 9,
}  # fmt: skip


class Chromium:
    """A browser with one page."""

    def __init__(self, folder: Path, width: int = 1440, height: int = 900) -> None:
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        # The browser reads from 3 and writes to 4; what has these numbers here must not be in the way.
        ours = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in (there, back)]
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        actions += [(os.POSIX_SPAWN_OPEN, one, os.devnull, os.O_WRONLY, 0) for one in (1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, one, number) for one, number in zip(ours, (3, 4), strict=True)]
        command = [
            BROWSER or "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}",
            f"--window-size={width},{height}", "about:blank",
        ]  # fmt: skip
        self._process = os.posix_spawn(command[0], command, {**os.environ, "HOME": str(folder)}, file_actions=actions)
        for one in (there, back, *ours):
            os.close(one)
        self._rest, self._number, self._session = b"", 0, None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.alerts: list[str] = []
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        found = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.size(width, height)

    def close(self) -> None:
        try:
            self._session = None
            self.ask("Browser.close", timeout=5)
        except (OSError, TimeoutError, EOFError):
            pass
        for _ in range(100):
            if os.waitpid(self._process, os.WNOHANG)[0]:
                break
            time.sleep(0.1)
        else:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._write)
        os.close(self._read)

    def ask(self, method: str, timeout: float = 60.0, **params):
        """A command of the protocol, and its result."""
        self._number += 1
        mine = self._number
        message = {"id": mine, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            found = self._next(end - time.monotonic())
            if found.get("id") == mine:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]
            self._notice(found)

    def listen(self, seconds: float) -> None:
        """Let what happens be noticed for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self._notice(self._next(left))
            except TimeoutError:
                return

    def _next(self, seconds: float):
        end = time.monotonic() + seconds
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("the browser does not answer")
            new = os.read(self._read, 1 << 20)
            if not new:
                raise EOFError("the browser is gone")
            self._rest += new
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _notice(self, found) -> None:
        method, params = found.get("method"), found.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(str(details.get("exception", {}).get("description", details["text"])))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.alerts.append(params["message"])

    def open(self, address: str) -> None:
        self.ask("Page.navigate", url=address)

    def reload(self) -> None:
        self.run("window.before = true")
        self.ask("Page.reload")
        self.wait("!window.before && document.readyState === 'complete'")

    def run(self, expression: str):
        """The value of a JavaScript expression, waiting for promises."""
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = 20.0):
        """Until an expression is true; its value."""
        end, found = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                found = self.run(expression)
            except AssertionError as error:
                found = None
                last = str(error)
            else:
                last = repr(found)
            if found:
                return found
            self.listen(0.05)
        raise AssertionError(f"after {seconds} s still not: {expression} ({last})")

    def size(self, width: int, height: int, scale: float = 1.0) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def media(self, dark: bool = False, still: bool = False) -> None:
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def click(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """A real click at a share of an element's width and height."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'});"
            " const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
        )
        self.click_at(box[0] + x * box[2], box[1] + y * box[3])

    def click_at(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def mouse(self, kind: str, x: float, y: float, **more) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key: str, shift: bool = False) -> None:
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, file: Path, whole: bool = False) -> None:
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(file).write_bytes(base64.b64decode(found["data"]))
