"""Writes tables.rs: polynomials for P - 1 and x Q of the Hankel functions of orders 0 and 1 (see ../hankel.rs).

Chebyshev series in y = 1/x^2 on four intervals of x, with 50 digits, truncated where they have fallen below 2^-54 and written as powers of the
interval's own variable from -1 to 1. Needs mpmath: python tables.py > tables.rs
"""
from mpmath import cos, exp, hankel2, mp, mpf, pi, sqrt

mp.dps = 50
ENDS = [(2, 3), (3, 5), (5, 10), (10, None)]
NODES, LENGTH = 40, 16


def modulation(order, y):
    x = 1 / sqrt(y)
    h = hankel2(order, x) * sqrt(pi * x / 2) * exp(1j * (x - order * pi / 2 - pi / 4))
    return h.real - 1, -h.imag * x


def powers(values):
    angle = [pi * (2 * k + 1) / (2 * NODES) for k in range(NODES)]
    series = [2 * sum(v * cos(j * a) for v, a in zip(values, angle)) / NODES for j in range(LENGTH)]
    series[0] /= 2
    assert abs(series[-1]) < mpf(2) ** -54
    out, before, now = [mpf(0)] * LENGTH, [mpf(1)], [mpf(0), mpf(1)]
    for j, c in enumerate(series):
        for i, v in enumerate(before):
            out[i] += c * v
        double = [mpf(0)] + [2 * v for v in now]
        before, now = now, [d - (before[i] if i < len(before) else 0) for i, d in enumerate(double)]
    return out


def interval(low, high):
    a, b = (mpf(0) if high is None else 1 / mpf(high) ** 2), 1 / mpf(low) ** 2
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * NODES)) for k in range(NODES)]
    both = [list(zip(*[modulation(order, y) for y in nodes])) for order in (0, 1)]
    return [2 / (b - a), (a + b) / (b - a)], [[powers(f) for f in pair] for pair in both]


print("//! Made by `tables.py`: do not edit.\n")
print("use kernels::abi::MomInterval as Interval;\n")
print("#[rustfmt::skip]\npub const INTERVALS: [Interval; %d] = [" % len(ENDS))
number = lambda v: repr(float(v))
for low, high in ENDS:
    (scale, shift), tables = interval(low, high)
    print("    Interval { from: %s.0, scale: %s, shift: %s, powers: [" % (low, number(scale), number(shift)))
    for pair in tables:
        for table in pair:
            print("        [%s]," % ", ".join(number(v) for v in table))
    print("    ] },")
print("];")
