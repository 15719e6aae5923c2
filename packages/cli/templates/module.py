#!/usr/bin/env python3
# A function module in Python's standard library alone: the service runs it and keeps its output. It asks the service
# every second. The names are those of the demo plant: put your own.
import json
import os
import signal
import threading
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ["TELLTALE_BASE_URL"].rstrip("/") + "/"
TOKEN = os.environ["TELLTALE_TOKEN"]
GOOD = 0xC0

stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())


def ask(method, path, **query):
    """The JSON of the answer, or None. Raises OSError where the service refuses or does not answer."""
    url = BASE + path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")
    request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def cycle():
    value, _time, quality = ask("GET", "measurements/tank1_level")["vtq"]
    if quality & GOOD != GOOD:
        return  # nothing to calculate with
    level = float(value[1:])  # the first letter is the datatype
    text = f"Tank 1: {level:.1f} m"
    shown, _time = ask("GET", "commands/gate_panel_text")["vt"]
    if shown[1:] != text:
        ask("PUT", "commands/gate_panel_text", value="s" + text)
        print(text, flush=True)


while not stopping.is_set():
    try:
        cycle()
    except urllib.error.HTTPError as problem:
        print(problem.read().decode(), flush=True)
    except OSError as error:
        print(error, flush=True)
    stopping.wait(1)
