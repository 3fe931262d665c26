"""A headless Chromium, asked over a pipe (the DevTools protocol), and the pictures it makes."""

import base64
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ABSENT = "" if PROGRAM else "no Chromium here (Debian: chromium)"


class Picture:
    """An image of 8 bits a channel, as Chromium writes PNG; `at(x, y)` is (red, green, blue)."""

    def __init__(self, png):
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        at, data = 8, b""
        while at < len(png):
            length, kind = struct.unpack(">I4s", png[at : at + 8])
            chunk = png[at + 8 : at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
                assert depth == 8 and colour in (2, 6) and not interlaced
                self.channels = 3 if colour == 2 else 4
            data += chunk if kind == b"IDAT" else b""
            at += 12 + length
        self.rows = self.unfilter(zlib.decompress(data))

    def unfilter(self, data):
        size, step, rows = self.width * self.channels, self.channels, []
        before = bytearray(size)
        for y in range(self.height):
            kind, row = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1 : (y + 1) * (size + 1)])
            for i in range(size if kind else 0):
                left = row[i - step] if i >= step else 0
                up = before[i]
                corner = before[i - step] if i >= step else 0
                if kind == 4:
                    guess = left + up - corner
                    near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                    add = near[2]
                else:
                    add = (0, left, up, (left + up) // 2)[kind]
                row[i] = (row[i] + add) & 255
            rows.append(row)
            before = row
        return rows

    def at(self, x, y):
        start = x * self.channels
        return tuple(self.rows[y][start : start + 3])

    def colours(self):
        """How many pixels there are of each colour."""
        found = {}
        for row in self.rows:
            for x in range(0, len(row), self.channels):
                colour = tuple(row[x : x + 3])
                found[colour] = found.get(colour, 0) + 1
        return found


class Browser:
    """One page at a time. Use as a context manager."""

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="tilewise-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--hide-scrollbars", f"--user-data-dir={self.home}", "--remote-debugging-pipe", "about:blank"]
        # It reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", *command],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.home), start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self.number, self.session, self.events = 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.writer.close()  # it ends when the pipe does
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        text = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise AssertionError("the browser has gone")
            text += byte
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            request["sessionId"] = self.session
        self.writer.write(json.dumps(request).encode() + b"\0")
        self.writer.flush()
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1200, height=900, scheme="light", media="screen"):
        """Loads a file, as wide as said; `scheme` is light or dark, `media` screen or print."""
        self.events = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=f"file://{path}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def ask(self, expression):
        """The value of an expression in JavaScript."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def requests(self):
        """What was loaded, besides the page itself."""
        urls = [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
        return urls[1:]

    def picture(self, selector):
        """A picture of the first element that a CSS selector finds."""
        box = self.ask(f"(()=>{{const b=document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                       "return [b.x+scrollX,b.y+scrollY,b.width,b.height]})()")
        clip = dict(zip(("x", "y", "width", "height"), box), scale=1)
        answer = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return Picture(base64.b64decode(answer["data"]))
