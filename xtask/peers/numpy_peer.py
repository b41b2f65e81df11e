#!/usr/bin/env python3
"""NumPy as the other side of `nearfield bench mom`: one request a line on standard input, one answer a line on standard output.

Its argument is the number of threads.

version                 of NumPy, and of the BLAS below it
matrix N M              then, as bytes, a matrix of N x N and right-hand sides of N x M, complex, column by column; answers ok
solve                   LU and solution, then the residual and the backward error of every right-hand side; answers the seconds of both
"""

import os
import sys
import time

# The BLAS reads it as it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[1]

import numpy


def read(rows, columns):
    values = numpy.frombuffer(sys.stdin.buffer.read(16 * rows * columns), dtype="c16")
    return values.reshape((rows, columns), order="F")


def main():
    a = b = None
    for line in iter(sys.stdin.buffer.readline, b""):
        word, *rest = line.decode().split()
        answer = "ok"
        if word == "version":
            blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
            answer = f"{numpy.__version__} with {blas['name']} {blas['version']}"
        elif word == "matrix":
            a = b = None
            a, b = read(int(rest[0]), int(rest[0])), read(int(rest[0]), int(rest[1]))
        elif word == "solve":
            start = time.perf_counter()
            x = numpy.linalg.solve(a, b)
            solved = time.perf_counter()
            errors = abs(b - a @ x).max(0) / (abs(a).sum(1).max() * abs(x).max(0) + abs(b).max(0))
            assert errors.max() < 1e-12
            answer = f"{solved - start} {time.perf_counter() - solved}"
        print(answer, flush=True)


main()
