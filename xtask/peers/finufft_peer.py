#!/usr/bin/env python3
"""FINUFFT as the other side of `nearfield bench nufft`: one request a line on standard input, one answer a line on standard output.

version                             the version
data single|double M N              then, as bytes, y and x (M numbers each), c (M complex), f (N x N complex); answers ok
plan 1|2 EPS THREADS                makes a plan for N x N modes, sign -1, all else by default; answers seconds
points                              sets the points; answers seconds
execute                             transforms c or f; answers seconds
sample I J ...                      values of the last result, by flat index; answers re im re im ...
"""

import sys
import time

import finufft
import numpy


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def read(count, kind):
    kind = numpy.dtype(kind)
    return numpy.frombuffer(sys.stdin.buffer.read(count * kind.itemsize), dtype=kind)


def main():
    plan = given = result = y = x = c = f = n = None
    for line in iter(sys.stdin.buffer.readline, b""):
        word, *rest = line.decode().split()
        answer = "ok"
        if word == "version":
            answer = finufft.__version__
        elif word == "data":
            real, both = ("f4", "c8") if rest[0] == "single" else ("f8", "c16")
            m, n = int(rest[1]), int(rest[2])
            y, x, c = read(m, real), read(m, real), read(m, both)
            f = read(n * n, both).reshape(n, n)
        elif word == "plan":
            kind, eps, threads = int(rest[0]), float(rest[1]), int(rest[2])
            given = c if kind == 1 else f
            make = lambda: finufft.Plan(kind, (n, n), 1, eps, -1, dtype=c.dtype.name, nthreads=threads)
            # The old plan's memory must not count against the new one.
            plan = result = None
            answer, plan = timed(make)
        elif word == "points":
            answer, _ = timed(lambda: plan.setpts(y, x))
        elif word == "execute":
            answer, result = timed(lambda: plan.execute(given))
        elif word == "sample":
            values = result.reshape(-1)[[int(i) for i in rest]]
            answer = " ".join(f"{float(v.real)!r} {float(v.imag)!r}" for v in values)
        print(answer, flush=True)


main()
