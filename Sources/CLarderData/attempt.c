#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLarderData.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED 1
#endif
#endif

// Musl's raise() would go to the thread whose memory the attempt has.
#if defined(__linux__) && defined(__GLIBC__) && !defined(WATCHED)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Room for the attempt, and what is left above it to the thread that waits for it.
enum { ROOM = 1 << 20, GAP = 64 << 10, HANDLER_ROOM = 64 << 10 };

// What is at work still at so many ticks of a second, each of which it was there to be told of, goes round in a circle, or waits
// for what does not come: microseconds do. A process that is stopped, or does not come to its turn, is told of one tick.
enum { TICKS = 3 };

static const int fatal_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

struct attempt {
  void (*body)(void *);
  void *context;
  volatile int has_ended;
  volatile int has_failed;
  volatile int ticks;
  int was_left;
  char handler_stack[HANDLER_ROOM];
};

static _Thread_local struct attempt *attempt_here;

// The leak detector's: what this thread allocates from here on, it does not look for.
__attribute__((weak)) void __lsan_disable(void);

static void fail(int signal) {
  (void)signal;
  attempt_here->has_failed = 1;
  // Without the program's own work at its end. A signal left alone would have all who share the memory dumped, and killed.
  syscall(SYS_exit_group, 0);
}

static void tick(int signal) {
  if (++attempt_here->ticks == TICKS) fail(signal);
}

// The first that is called by exit(), whose other work is the program's.
static void leave(void) {
  if (attempt_here != NULL) fail(0);
}

static int child(void *pointer) {
  struct attempt *attempt = pointer;
  attempt_here = attempt;
  // File descriptors and handlers of signals are this process's own: nobody reads why it fails.
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  stack_t stack = {.ss_sp = attempt->handler_stack, .ss_size = HANDLER_ROOM};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = fail, .sa_flags = SA_ONSTACK | SA_NODEFER};
  for (int i = 0; i < FATAL_SIGNALS; i++) sigaction(fatal_signals[i], &action, NULL);
  // What an attempt has allocated when it fails is nobody's, and stays.
  if (__lsan_disable != NULL) __lsan_disable();
  struct sigaction ticking = {.sa_handler = tick, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGALRM, &ticking, NULL);
  struct itimerval second = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
  setitimer(ITIMER_REAL, &second, NULL);
  // Not longer than the program.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  attempt->body(attempt->context);
  attempt->has_ended = 1;
  syscall(SYS_exit_group, 0);
  return 0;
}

static void run(void *pointer) {
  struct attempt *attempt = pointer;
  // An interrupt from the terminal, say, is the program's.
  sigset_t blocked, former;
  sigfillset(&blocked);
  for (int i = 0; i < FATAL_SIGNALS; i++) sigdelset(&blocked, fatal_signals[i]);
  sigdelset(&blocked, SIGALRM);
  pthread_sigmask(SIG_SETMASK, &blocked, &former);
  // Further down on the stack of this thread, which waits until the other process has ended.
  uintptr_t top = ((uintptr_t)__builtin_frame_address(0) - GAP) & ~(uintptr_t)15;
  pid_t process = clone(child, (void *)top, CLONE_VM | CLONE_VFORK, attempt);
  int status = 0;
  pid_t ended;
  while (process > 0 && (ended = waitpid(process, &status, __WALL)) < 0 && errno == EINTR) {}
  // By _exit(), say.
  attempt->was_left = process > 0 && ended == process && WIFEXITED(status);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
}

int larder_attempt(void (*body)(void *), void *context) {
  struct attempt *attempt = calloc(1, sizeof *attempt);
  if (attempt == NULL) return LARDER_ATTEMPT_UNKNOWN;
  attempt->body = body;
  attempt->context = context;
  // Called before those that are there already.
  atexit(leave);
  // A thread of its own, since what a thread notes of itself, such as its number, would be noted of the other process.
  larder_run_on_stack(ROOM + 2 * GAP, run, attempt);
  int outcome = attempt->was_left ? LARDER_ATTEMPT_FAILED : LARDER_ATTEMPT_UNKNOWN;
  if (attempt->has_ended) outcome = LARDER_ATTEMPT_ENDED;
  if (attempt->has_failed) outcome = LARDER_ATTEMPT_FAILED;
  free(attempt);
  return outcome;
}

#else

int larder_attempt(void (*body)(void *), void *context) {
  (void)body;
  (void)context;
  return LARDER_ATTEMPT_UNKNOWN;
}

#endif
