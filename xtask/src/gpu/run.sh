#!/bin/sh
# Runs what lies beside this file on a machine with a card, and ends with one table.
set -u

usage() {
    cat <<'END'
Usage: run [--no-tests] [--sanitize] [--bench [OPTION...]]

  --no-tests   leave the suites out
  --sanitize   tests under compute-sanitizer: memcheck of those with `small` in their names, racecheck of those with `tiny`
  --bench      nearfield bench pnah --device cuda, with the options that follow

Each suite (`solvers` module by module) and the bench have LIMIT seconds (300). Logs go to the folder OUT, else to logs beside this file.
END
}

here=$(cd "$(dirname "$0")" && pwd) || exit 1
logs=${OUT:-$here/logs}
tests=yes sanitize=no bench=no
while [ $# -gt 0 ]; do
    case $1 in
    --no-tests) tests=no ;;
    --sanitize) sanitize=yes ;;
    --bench) bench=yes; shift; break ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
    shift
done

# Usual places that the loader and the shell may not know.
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64:/usr/local/nvidia/lib64
PATH=$PATH:/usr/local/cuda/bin
NEARFIELD_DATA=$here/data
RUST_BACKTRACE=1
export LD_LIBRARY_PATH PATH NEARFIELD_DATA RUST_BACKTRACE

mkdir -p "$logs" || exit 1
# Few files: one for each kind of run.
one=$logs/suite.log table=$logs/table.txt
for log in doctor tests sanitizer bench; do rm -f "$logs/$log.log"; done
rm -f "$table"
row() { printf '%-40s %7s %7s %7s %7s %9s\n' "$@" >>"$table"; }
row suite tests passed failed skipped seconds
failures=0

limited() {
    # A kernel that never ends must not cost the other results.
    if command -v timeout >/dev/null 2>&1; then timeout -k 10 "${LIMIT:-300}" "$@"; else "$@"; fi
}

# suite NAME LOG COMMAND...: shows and logs the output, adds a row.
suite() {
    name=$1 log=$2
    shift 2
    echo "== $name"
    { limited "$@" 2>&1; echo $? >"$one.status"; } | tee "$one"
    status=$(cat "$one.status")
    { echo "== $name"; cat "$one"; } >>"$log"
    result='s/^test result: [A-Za-z]*\. \([0-9]*\) passed; \([0-9]*\) failed;.* finished in \([0-9.]*\)s.*/\1 \2 \3/p'
    # shellcheck disable=SC2046 # three words
    set -- $(sed -n "$result" "$one" | tail -n 1)
    passed=${1:-0} failed=${2:-0} seconds=${3:--}
    if [ "$status" -ne 0 ]; then
        failures=$((failures + 1))
        # No test failed, and yet: a crash, the time limit, or the sanitizer.
        if [ "$failed" -eq 0 ]; then
            failed="exit $status"
        fi
    fi
    row "$name" "$((passed + ${2:-0}))" "$passed" "$failed" "$(grep -c SKIPPED "$one")" "$seconds"
}

"$here/nearfield" doctor 2>&1 | tee "$logs/doctor.log"

if [ $tests = yes ]; then
    for file in "$here"/suites/*; do
        case $file in
        */solvers) parts=$("$file" --list 2>/dev/null | sed -n 's/::.*: test$/::/p' | sort -u) ;;
        *) parts='' ;;
        esac
        # Without parts: all of it.
        for part in ${parts:-""}; do
            suite "$(basename "$file")${part:+ }${part%::}" "$logs/tests.log" "$file" ${part:+"$part"} --nocapture
        done
    done
fi

if [ $sanitize = yes ] && ! command -v compute-sanitizer >/dev/null 2>&1; then
    echo 'SKIPPED: sanitizer: compute-sanitizer was not found' | tee -a "$table"
elif [ $sanitize = yes ]; then
    for tool in memcheck racecheck; do
        size=small
        if [ $tool = racecheck ]; then size=tiny; fi
        for file in "$here"/suites/*; do
            if "$file" $size --list 2>/dev/null | grep -q ': test$'; then
                # The launcher asks the driver for one parameter too many: refused calls are no errors here.
                suite "$tool $(basename "$file")" "$logs/sanitizer.log" compute-sanitizer --tool "$tool" \
                    --report-api-errors no --error-exitcode 9 "$file" $size --nocapture --test-threads=1
            fi
        done
    done
fi

if [ $bench = yes ]; then
    echo "== bench"
    limited "$here/nearfield" bench pnah --device cuda "$@" >"$logs/bench.log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        failures=$((failures + 1))
        row bench - - "exit $status" - -
    fi
fi

rm -f "$one" "$one.status"
echo
cat "$table"
if [ $bench = yes ]; then
    echo
    cat "$logs/bench.log"
fi
[ $failures -eq 0 ]
