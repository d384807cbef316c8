#!/usr/bin/env python3
"""How long Ctrl-C takes to give the prompt back: random cancels of TPC-H queries in the shell, through a pty.

    bench/cancel.py WEFT DATA [--cancels 100] [--seed 1] [--out FILE.json] [-- ARGUMENTS OF WEFT]

DATA is what `weft tpch generate` wrote. Prints the median, p95 and maximum in ms, and fails when p95 is 300 ms or more, the
maximum is 1 s or more, or the query after a cancel is wrong.
"""
import argparse
import json
import os
import pty
import random
import select
import signal
import sys
import time

TABLES = "lineitem orders customer part partsupp supplier nation region".split()
QUERIES = [
    "SELECT l_orderkey, sum(l_quantity) FROM lineitem GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "SELECT o_orderpriority, count(*) FROM lineitem JOIN orders ON l_orderkey = o_orderkey GROUP BY 1",
    "SELECT l_returnflag, sum(l_extendedprice * (1 - l_discount)) FROM lineitem GROUP BY 1",
    "SELECT count(*) FROM (SELECT * FROM lineitem ORDER BY l_extendedprice, l_comment)",
    "SELECT l_comment FROM lineitem WHERE l_comment LIKE '%special%'",
]


class Shell:
    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(command[0], command)
        self.text = ""

    def wait_for(self, mark, seconds):
        """Reads past the mark; False if it does not come."""
        end = time.monotonic() + seconds
        while mark not in self.text:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return False
            self.text += os.read(self.fd, 65536).decode(errors="replace")
        self.text = self.text.split(mark, 1)[1]
        return True

    def read_until(self, mark, seconds):
        if not self.wait_for(mark, seconds):
            sys.exit(f"no {mark!r} within {seconds} s; the shell said: {self.text[-500:]!r}")

    def drain(self):
        """What the shell has said by now."""
        while select.select([self.fd], [], [], 0)[0]:
            self.text += os.read(self.fd, 65536).decode(errors="replace")
        return self.text

    def send(self, line):
        os.write(self.fd, (line + "\n").encode())


PROMPT = "weft> "


def answer(shell, number):
    """Runs a query whose answer is known, so that the shell is known to work and to wait at its prompt."""
    for _ in range(3):  # a Ctrl-C that came as a query ended may still take a line that is being typed
        shell.send(f"SELECT 'mark' || ({number} + 0) || 'end';")
        if shell.wait_for(f"mark{number}end", 10):
            shell.read_until(PROMPT, 10)
            return
    sys.exit(f"no answer after a cancel; the shell said: {shell.text[-500:]!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("data")
    parser.add_argument("--cancels", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    options.arguments = sys.argv[split + 1:]
    rng = random.Random(options.seed)
    shell = Shell([options.weft, *options.arguments])
    for table in TABLES:
        shell.send(f"CREATE VIEW {table} AS SELECT * FROM '{options.data}/{table}/*.parquet';")
    answer(shell, 0)
    for query in QUERIES:  # warm up
        shell.send(query + ";")
        shell.read_until(PROMPT, 60)
    answer(shell, 1)
    times = []
    number = 2
    while len(times) < options.cancels:
        shell.send(rng.choice(QUERIES) + ";")
        time.sleep(rng.uniform(0.002, 0.1))
        ended = PROMPT in shell.drain()
        if not ended:
            start = time.monotonic()
            os.write(shell.fd, b"\x03")
            shell.read_until(PROMPT, 30)
            times.append((time.monotonic() - start) * 1000)
        answer(shell, number)
        number += 1
    os.kill(shell.pid, signal.SIGKILL)
    times.sort()
    report = {"cancels": len(times), "median_ms": round(times[len(times) // 2], 1),
              "p95_ms": round(times[int(len(times) * 0.95) - 1], 1), "max_ms": round(times[-1], 1),
              "note": "from Ctrl-C in a running query to the prompt; after each a query is run and its answer checked"}
    print(json.dumps(report))
    if options.out:
        with open(options.out, "w") as file:
            json.dump(report, file, indent=1)
    sys.exit(report["p95_ms"] >= 300 or report["max_ms"] >= 1000)


if __name__ == "__main__":
    main()
