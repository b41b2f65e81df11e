#!/bin/sh
# A test program whose harness may tell times.
RUSTC_BOOTSTRAP=1 exec "$@"
