# Shell functions that the scripts share. Sourced, not run.

# A run that fails behind a `tee` has failed, whoever sources this.
set -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Tests of this package use Swift Testing only. XCTest itself leaks, which the address sanitizer would report.
swift_test_options=(--disable-xctest)

# How many tests run at the same time in one process. Left alone, Swift Testing begins all of them, and each `await` of one
# waits for a turn of the others: minutes on a slow machine, in which deadlines pass and connections are given up.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}

# Of each error that is thrown Swift Testing keeps the calls that led to it, for tools that ask. Nobody asks here, and tests
# that throw by the million spend two thirds of their time on it.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=${SWT_SWIFT_ERROR_BACKTRACING_ENABLED:-0}

# Random and other long tests, of which the phase "long" runs a share, and no other phase anything: the patterns in Scripts/long.
long_tests=$(sed -n "s/^tests='\(.*\)'$/\1/p" "$root"/Scripts/long/* 2>/dev/null | paste -sd '|' || true)
long_tests=${long_tests:-^None$}

# Those that have a phase of their own: Scripts/phases/12-sockets.
tests_over_sockets='^(LarderHTTPTests|LarderTestingTests)\.'
tests_with_nginx='^LarderHTTPTests\.NginxTests'

# Those that start processes and wait for them, or for disks.
tests_of_processes='^(LarderFaultTests|LarderKillTests|LarderMigrationTests|LarderProcessTests|LarderToolTests)\.'
tests_of_the_core='^LarderDataTests\.'

# Tests beside the core's that run under the address sanitizer: their code reads memory by pointers, or what comes from outside.
tests_of_memory='^(LarderSQLiteTests|LarderIngestTests|LarderLiveTests|LarderProcessTests|LarderFuzzTests|LarderHeaderTests|LarderJSONTests)\.'

# Of the core the address sanitizer runs all but these, which go many times the ways that others go: some hundred combinations,
# thousands of objects, random steps, what costs how much. They take most of its time; `unit` runs them, and
# `make soak LONG=memory`.
core_tests_of_repetition=(
  AggregateTests/ BackupTests/ BreakingRelationPredicateTests/ CheckedTypesTests/ CombiningTests/ DeepPredicateTests/
  HistoryDeletionTests/ InheritedSortTests/ ObserversOfEditsTests/ PlantedMistakeTests/ PredicateDifferentialTests/
  RandomOperationTests/ RandomSortTests/ RelationPredicateTests/ RelationStatementTests/ RequirementOrderTests/
  SharedListTests/ SharedPairTests/ SprawlingTests/ UndoCostTests/ UndoStepCostTests/
  BreakingAgainSharingTests/twoContexts BreakingLifeTests/predicatesWithStrange IdentifierPredicateTests/manyIdentifiers
  MergingTests/idleContext RelationTests/walkingParents TransactionTests/random UniquenessTests/random
)
# Large documents of others are left out, too: the long test "json" reads random ones under this sanitizer.
tests_of_repetition="^LarderJSONTests\.CorpusTests/|^LarderDataTests\.($(IFS='|'; echo "${core_tests_of_repetition[*]}"))"

# Those in which more than one thread is at work, for the thread sanitizer: of the core by suites, or by tests where the rest of
# a suite has one thread alone. `make lint` looks for files with threads that are not among them.
modules_with_threads='^(LarderSQLiteTests|LarderIngestTests|LarderLiveTests|LarderProcessTests)\.'
core_tests_with_threads=(
  ActorQueueTests/ AutosaveTests/ EndingTests/ FollowedHistoryTests/ LeaseTests/ MissingModelTests/ ObservationTests/
  OpeningTests/ OthersHistoryTests/ OwnershipTests/ SavingToSeveralStoresTests/ TakingOverAgainTests/ TetherTests/ ThreadTests/
  UndoGroupingTests/ UpsertContextTests/
  BreakingAgainSharingTests/actors 'BreakingLifeTests/(manyActors|containerGoes|threads)' CodecJSONTests/oneCodec
  DataStoreTroubleTests/contextsOf EmptyTableTests/whatAnotherProcess 'MergingTests/(mainContext|modelActor)'
  ListHistoryTests/ SharedHistoryTests/ SharedListTests/actors UndoManagerTests/groupOfATurn
)
tests_with_threads="$modules_with_threads|^LarderDataTests\.($(IFS='|'; echo "${core_tests_with_threads[*]}"))"

# The builds for sanitizers, of the libraries: the tests of the plain build are linked to them (Scripts/link-tests). Of debug
# information they have the lines that a report names: all of it takes a tenth longer.
address_build=(--sanitize address --scratch-path "$root/.build/address" -Xswiftc -gline-tables-only)
thread_build=(--sanitize thread --scratch-path "$root/.build/thread" -Xswiftc -gline-tables-only)

# A package that depends on this one by path keeps its build plan when only this one's files come and go, and then looks
# for those that were. Without the plan SwiftPM makes it anew, and compiles nothing twice: plan_anew FOLDER
plan_anew() { rm -f "$1"/.build/*.yaml; }

# The examples are packages of their own that compile the same library with the same options, so they are built where it is, and
# the library once. SwiftPM makes the plan anew where it was another package's.
example_build=$root/.build

# Waits until no other phase builds in .build, and keeps it until this one ends: packages of the same folder change its plan.
take_turn() {
  mkdir -p "$root/.build"
  exec {turn}>"$root/.build/turn"
  flock -w 3600 "$turn" || fail "another phase has kept .build for an hour"
}

# Builds an example's program and prints where it is: build_example FOLDER PROGRAM. More names behind the first, with
# spaces between them, are programs that it starts.
build_example() {
  local options=(--package-path "$root/Examples/$1" --scratch-path "$example_build") program
  for program in $2; do swift build "${options[@]}" --product "$program" >&2 || return 1; done
  printf '%s/%s\n' "$(swift build "${options[@]}" --show-bin-path)" "${2%% *}"
}

# Notes what a phase ran, for the sum at the end: count NAME TESTS FAILED
count() {
  say "-- $1: $2 tests, $3 failed"
  [ -z "${LARDER_COUNTS:-}" ] || printf '%s\t%s\t%s\n' "$2" "$3" "$1" >>"$LARDER_COUNTS"
}

# Keeps what a failed run said of it, for the end: note_failures NAME LOG
note_failures() {
  [ -n "${LARDER_FAILURES:-}" ] || return 0
  local said
  # An issue's own words, which hold what a random test needs to be run again, follow it on lines that begin with an arrow.
  said=$(awk '/^[^ ]+ Test .* recorded an issue |(^|[ :])(error|Fatal error): |^SUMMARY: |ThreadSanitizer: / { print; issue = 1; next }
    issue && /^↳/ { print; next } { issue = 0 }' "$2" | cut -c1-1000 | head -n 40 || true)
  printf '%s failed:\n%s\n' "$1" "${said:-$(tail -n 20 "$2")}" >>"$LARDER_FAILURES"
}

# Runs a step of a build, and counts a failure where that does not go: build_step NAME COMMAND…
build_step() {
  local name=$1 log status=0
  shift
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || status=$?
  if [ "$status" -ne 0 ]; then
    say "error: $name ran no test"
    note_failures "$name" "$log"
    count "$name" 0 1
  fi
  rm -f "$log"
  return "$status"
}

# Whether a build is done already: LARDER_BUILT names those that are (Scripts/test and the phase "long" say so). To find that
# out takes SwiftPM some seconds, each time.
is_built() { case " ${LARDER_BUILT:-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac }

# The builds of the package's tests. Each ends with modules that only one core is busy with: several fill two (`at_once`).
build_plain() {
  is_built plain || build_step "the package" swift build --build-tests "${swift_test_options[@]}"
}
# For a sanitizer: what it is to watch, by the names of targets, with what these need. The others come from the plain build.
build_address_libraries() {
  LARDER_TESTS=LarderMigration,LarderIngest,LarderHTTP,LarderSecrets,LarderTool,LarderTesting \
    build_step "libraries, address sanitizer" swift build "${address_build[@]}"
}
build_thread_libraries() {
  LARDER_TESTS=LarderMigration,LarderIngest build_step "libraries, thread sanitizer" swift build "${thread_build[@]}"
}
# The linker names each function of the sanitizer's runtime that it cannot export. Nothing uses those from outside: the lines are
# left out.
link_tests() {
  build_step "tests, $1 sanitizer" Scripts/link-tests .build ".build/$1" "$1" | { grep -v 'Cannot export local symbol' || true; }
}
build_address() { is_built address || { build_plain && build_address_libraries && link_tests address; }; }
build_thread() { is_built thread || { build_plain && build_thread_libraries && link_tests thread; }; }

# The program of the package's tests in a build: test_program plain|address|thread
test_program() {
  case $1 in
    plain) echo "$root/.build/debug/LarderPackageTests.xctest" ;;
    *) echo "$root/.build/$1/debug/LarderPackageTests.xctest" ;;
  esac
}

# Ends processes and all that they have begun: end_tree PROCESS…
end_tree() {
  local process
  for process; do
    # Its children first, which are nobody's once it has gone.
    end_tree $(cat "/proc/$process"/task/*/children 2>/dev/null || pgrep -P "$process" 2>/dev/null)
    kill -KILL "$process" 2>/dev/null || true
  done
}

# Seconds for which tests may say nothing. Then they hang, and are ended, so that those that follow have their time; 0 for
# tests that take as long as they do.
LARDER_SILENCE=${LARDER_SILENCE:-1800}

# The tests in a log that began and have not ended, each with its whole name: several may have the same. Those that wait for
# their turn have begun, too, so that no more are named than run at the same time: the first ones.
not_ended() {
  awk -v most="$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH" '
    !/^[^ ]+ Test / || /^[^ ]+ Test (run|case) / { next }
    { name = $0; sub(/^[^ ]+ Test /, "", name) }
    sub(/ started\.$/, "", name) { names[++count] = name; begun[name]++; next }
    sub(/( with [0-9]+ test cases?)? (passed|failed) after .*$/, "", name) { begun[name]-- }
    END {
      for (place = 1; place <= count && several < most; place++)
        if (begun[names[place]]-- > 0) printf "%s%s", several++ ? ", " : "", names[place]
    }' "$1"
}

# Ends a process whose log has not grown for so long: end_silent LOG FILE, which has its number. Says what had not ended.
# It goes with whoever has begun it.
end_silent() {
  local size=-1 silent=0 now
  # Seconds are counted here: a machine that was asleep meanwhile has not been silent.
  # In the background: the signal that ends this function is not kept waiting for the second's end.
  while { sleep 1 >/dev/null 2>&1 & wait $!; } && kill -0 $$ 2>/dev/null; do
    now=$(wc -c <"$1") || return 0
    if [ "$now" -ne "$size" ]; then
      size=$now silent=0
      continue
    fi
    silent=$((silent + 1))
    [ "$silent" -ge "$LARDER_SILENCE" ] || continue
    echo "error: the tests said nothing for $LARDER_SILENCE seconds, and were ended. Begun and not ended: $(not_ended "$1")" |
      tee -a "$1"
    end_tree "$(cat "$2")"
    return 0
  done
}

# Builds and runs tests, and counts what they say that they ran: swift_tests NAME [--build BUILD] [ARGUMENT…]
#
# BUILD is one of the package's (plain, address, thread; plain if nothing is said), whose program is run as it is. With other
# options of `swift test`, of another package, say, that builds and runs them. --filter and --skip are its own, too.
#
# A run that says nothing, or that ran no test, has failed, whatever its exit status. Lines that match LARDER_UNHEARD are left out
# of what is kept and shown.
swift_tests() {
  local name=$1 build= log status=0 tests failed guard=
  local -a options=() which=() run
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --build) build=$2; shift ;;
      --filter | --skip) which+=("$1" "$2"); shift ;;
      *) options+=("$1") ;;
    esac
    shift
  done
  if [ "${#options[@]}" -eq 0 ]; then
    "build_${build:=plain}" || return 1
    run=("$(test_program "$build")" --testing-library swift-testing "${which[@]}")
  else
    build_step "$name" swift build --build-tests "${swift_test_options[@]}" "${options[@]}" || return 1
    run=(swift test "${swift_test_options[@]}" --skip-build "${options[@]}" "${which[@]}")
  fi
  log=$(mktemp)
  if [ "$LARDER_SILENCE" -gt 0 ]; then
    end_silent "$log" "$log.process" &
    guard=$!
  fi
  # In the foreground, where Ctrl-C reaches it.
  {
    echo "$BASHPID" >"$log.process"
    "${run[@]}"
  } 2>&1 | heard | tee -a "$log" || status=$?
  [ -z "$guard" ] || { kill "$guard" && wait "$guard"; } 2>/dev/null || true
  # "Test run with 12 tests in 3 suites passed after …", one line for each run
  tests=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
  failed=$(grep -E '^[^ ]+ Test .* failed after ' "$log" | grep -cvE '^[^ ]+ Test (run with|case passing) ' || true)
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
  [ "$failed" -eq 0 ] || note_failures "$name" "$log"
  rm -f "$log" "$log.process"
  if [ "$tests" -eq 0 ]; then
    say "error: $name did not come to its end, or ran no test"
    status=1
  fi
  count "$name" "$tests" "$failed"
  return "$status"
}

# Its input without the lines that match LARDER_UNHEARD.
heard() {
  if [ -n "${LARDER_UNHEARD:-}" ]; then grep --line-buffered -v -- "$LARDER_UNHEARD" || true; else cat; fi
}

# Runs functions at the same time, and shows what each of them said when it has ended, in their order: at_once FUNCTION…
# For tests that wait for processes, disks and each other, where one run leaves half of two cores idle.
at_once() {
  local folder status=0 name
  local -A running=()
  folder=$(mktemp -d)
  for name; do
    "$name" >"$folder/$name" 2>&1 &
    running[$name]=$!
  done
  for name; do
    wait "${running[$name]}" || status=1
    cat "$folder/$name"
  done
  rm -rf "$folder"
  return "$status"
}

# Runs a share of long tests, for a phase: a hundredth of each, and at least two seconds: shares NAME…
shares() { SIZE=1 SECONDS_AT_LEAST=2 "$root/Scripts/soak" "$@"; }

# A long test that is Swift's: long_swift_tests NAME ROUNDS FILTER
#
# ROUNDS is the whole; LARDER_SIZE percent of it are run, and after them more for LARDER_SECONDS. The tests read LARDER_SEED, from
# which theirs follow, and ROUNDS, which multiplies how many there are.
long_swift_tests() {
  local name=$1 rounds=$(($2 * LARDER_SIZE / 100)) filter=$3 seed=$LARDER_SEED began status=0
  [ "$rounds" -gt 0 ] || rounds=1
  # Before the clock: the time is the tests'.
  build_plain || return 1
  local LARDER_BUILT="${LARDER_BUILT:-} plain"
  began=$SECONDS
  while true; do
    say "-- $name: seed $seed, $rounds rounds"
    LARDER_SEED=$seed ROUNDS=$rounds swift_tests "$name, seed $seed" --filter "$filter" || status=1
    [ "$status" -eq 0 ] && [ $((SECONDS - began)) -lt "$LARDER_SECONDS" ] || return "$status"
    seed=$((seed + 1000000))
  done
}

# Chooses, for a fuzzer under the address sanitizer, the build in `build`: fuzz_build TESTS
#
# The whole takes an hour or more in a build of its own, as quick as users' are, which have every check of the language, too;
# a share takes the build that the other tests under this sanitizer have made.
fuzz_build() {
  build=(--build address)
  [ "${LARDER_SIZE:-1}" -ge 10 ] || return 0
  export LARDER_TESTS=$1
  build=(-c release -Xswiftc -enable-testing --sanitize address --scratch-path .build/address-release)
  # Of what led to an allocation two calls are kept, not thirty: `malloc` itself, and who called it, without whom the leak
  # detector takes everything for reachable. What fails tells more by its seed and ASAN_OPTIONS=malloc_context_size=30.
  export ASAN_OPTIONS="malloc_context_size=2 ${ASAN_OPTIONS:-}"
}

# A new seed for each run, unless SEED names one. Whoever takes it prints it, so that a failure can be run again.
new_seed() { printf '%s' "${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"; }
