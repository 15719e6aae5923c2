#!/usr/bin/env python3
# Adds up the electrical power of the site, in kW, into the command site_energy, in kWh, and reports what a cubic metre
# takes now: Python's standard library alone. What was added up survives a restart, since commands do. A power that is
# not good adds nothing, and that is printed.
import json
import os
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ["TELLTALE_BASE_URL"].rstrip("/") + "/"
TOKEN = os.environ["TELLTALE_TOKEN"]
PERIOD_S = float(os.environ.get("PERIOD", "1"))
GOOD = 0xC0

stopping = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
logged = ""


def log(text):
    """Prints it when it is another than the last one, and not every second."""
    global logged
    if text != logged:
        print(text, flush=True)
    logged = text


def ask(method, path, **query):
    """The JSON of the answer, or None. Raises OSError where the service refuses or does not answer."""
    url = BASE + path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")
    request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def number(value):
    return float(value[1:])  # the first letter is the datatype


def write(name, value):
    ask("PUT", f"commands/{name}", value=f"d{value:.6f}")


def cycle(elapsed_s):
    points = ask("GET", "measurements/", names="site_power,main_flow", fields="vtq")
    power, _time, quality = points["site_power"]["vtq"]
    if quality & GOOD != GOOD:
        log(f"nothing is added: the quality of the power is {quality}")
        return
    total, _time = ask("GET", "commands/site_energy")["vt"]
    write("site_energy", number(total) + number(power) * elapsed_s / 3600)
    flow, _time, quality = points["main_flow"]["vtq"]
    if quality & GOOD == GOOD and number(flow) > 1:
        write("specific_energy", number(power) / number(flow))
    log("adding up")


last = time.monotonic()
while not stopping.wait(PERIOD_S):
    now = time.monotonic()
    try:
        cycle(now - last)
    except urllib.error.HTTPError as problem:
        log(problem.read().decode())
    except OSError as error:
        log(f"nothing is added: {error}")
    last = now
