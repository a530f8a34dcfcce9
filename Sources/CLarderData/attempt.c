#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLarderData.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// It ends programs whose copies go on after fork().
#define WATCHED 1
#endif
#endif

#if defined(__linux__) && !defined(WATCHED)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Milliseconds that an attempt has, one after the other. It takes microseconds, or it never ends. A copy of a program has its own
// thread alone: where another one has a lock of the runtime just then, the copy waits for ever, and the next one does not.
static const int patience[] = {1000, 2000, 4000};
enum { TRIES = sizeof patience / sizeof *patience };

// What a copy writes before it ends.
enum { NO = 'n', YES = 'y' };

static void leave(void) { _exit(0); }

// Runs in the copy of the process, which has the program's files and signals, and must leave them as they are.
static void run(int (*body)(void *), void *context, int answer) {
  // Not longer than the program.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A trap of the copy is expected: it writes no core file, and no report of a crash.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  static const int fatal_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS};
  for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++) signal(fatal_signals[i], SIG_DFL);
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  // exit() calls this function first, so that functions which the program registered do not run in the copy.
  atexit(leave);
  char word = body(context) ? YES : NO;
  while (write(answer, &word, 1) < 0 && errno == EINTR) {}
  _exit(0);
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The word of a copy; 0 where it has ended without one, -1 where it has not ended in time.
static int word_of(int answer, int patience) {
  long end = milliseconds() + patience;
  for (;;) {
    long rest = end - milliseconds();
    struct pollfd asked = {.fd = answer, .events = POLLIN};
    int ready = poll(&asked, 1, rest > 0 ? (int)rest : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return -1;
    char word = 0;
    ssize_t read_bytes = read(answer, &word, 1);
    if (read_bytes < 0 && errno == EINTR) continue;
    return read_bytes == 1 ? word : 0;
  }
}

int larder_attempt(int (*body)(void *), void *context) {
  for (int i = 0; i < TRIES; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return LARDER_ATTEMPT_UNKNOWN;
    pid_t copy = fork();
    if (copy == 0) {
      close(ends[0]);
      run(body, context, ends[1]);
    }
    close(ends[1]);
    int word = copy < 0 ? -1 : word_of(ends[0], patience[i]);
    close(ends[0]);
    if (copy < 0) return LARDER_ATTEMPT_UNKNOWN;
    if (word < 0) kill(copy, SIGKILL);
    // A program that waits for all of its processes may have collected this one already.
    while (waitpid(copy, NULL, 0) < 0 && errno == EINTR) {}
    if (word == YES) return LARDER_ATTEMPT_HOLDS;
    if (word == NO) return LARDER_ATTEMPT_DOES_NOT_HOLD;
    if (word == 0) return LARDER_ATTEMPT_FAILED;
  }
  return LARDER_ATTEMPT_FAILED;
}

#else

int larder_attempt(int (*body)(void *), void *context) {
  (void)body;
  (void)context;
  return LARDER_ATTEMPT_UNKNOWN;
}

#endif
