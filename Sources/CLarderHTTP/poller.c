#define _GNU_SOURCE
#include "CLarderHTTP.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EVENTS = 128 };

/// Beside CURL_POLL_IN and CURL_POLL_OUT: nothing but the end.
enum { POLL_END = 0x40 };

/// What is known of a socket.
typedef struct {
  /// The events that epoll waits for, and those that libcurl wants to hear of.
  uint8_t watched, wanted;
  /// Whether its end is told by `clh_poller_forget`.
  bool is_connection;
  /// Whether it is kept for the next request. A socket of a transfer that is paused is not wanted either.
  bool is_kept;
  /// Whether its server says nothing while it is asked nothing, as in HTTP/1.1.
  bool is_silent;
} watch;

struct clh_poller {
  int epoll, waker;
  /// By descriptor.
  watch *watches;
  int capacity;
};

clh_poller *clh_poller_open(void) {
  clh_poller *poller = calloc(1, sizeof *poller);
  if (!poller) return NULL;
  poller->epoll = epoll_create1(EPOLL_CLOEXEC);
  poller->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = poller->waker};
  if (poller->epoll < 0 || poller->waker < 0 ||
      epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->waker, &event) != 0) {
    clh_poller_close(poller);
    return NULL;
  }
  return poller;
}

void clh_poller_close(clh_poller *poller) {
  if (poller->epoll >= 0) close(poller->epoll);
  if (poller->waker >= 0) close(poller->waker);
  free(poller->watches);
  free(poller);
}

/// What is known of a socket; NULL where there is no memory for it.
static watch *watch_of(clh_poller *poller, int descriptor) {
  if (descriptor < 0) return NULL;
  if (descriptor >= poller->capacity) {
    int capacity = descriptor + 64;
    watch *larger = realloc(poller->watches, (size_t)capacity * sizeof *larger);
    if (!larger) return NULL;
    memset(larger + poller->capacity, 0, (size_t)(capacity - poller->capacity) * sizeof *larger);
    poller->watches = larger;
    poller->capacity = capacity;
  }
  return &poller->watches[descriptor];
}

int clh_poller_know(clh_poller *poller, int descriptor) {
  // Else processes that are begun meanwhile hold it open: libcurl leaves that out before 8.17.
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  watch *known = watch_of(poller, descriptor);
  if (!known) return ENOMEM;
  *known = (watch){.is_connection = true};
  return 0;
}

static int change(clh_poller *poller, int descriptor, int operation, uint8_t what) {
  struct epoll_event event = {.data.fd = descriptor, .events = EPOLLRDHUP};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  return epoll_ctl(poller->epoll, operation, descriptor, &event) == 0 ? 0 : errno;
}

void clh_poller_forget(clh_poller *poller, int descriptor) {
  if (descriptor < 0 || descriptor >= poller->capacity) return;
  // While it is still open: epoll lets go by itself only of what nobody else has, and a process that was begun meanwhile
  // may have it, too.
  if (poller->watches[descriptor].watched) change(poller, descriptor, EPOLL_CTL_DEL, 0);
  poller->watches[descriptor] = (watch){0};
}

int clh_poller_watch(clh_poller *poller, int descriptor, int what) {
  watch *known = watch_of(poller, descriptor);
  if (!known) return ENOMEM;
  known->wanted = what == CURL_POLL_REMOVE ? 0 : (uint8_t)(what & CURL_POLL_INOUT);
  if (known->wanted) known->is_kept = false;
  // A connection that is kept is wanted again for the next request, and mostly for the same: two calls into the kernel are
  // saved for each. What comes of it meanwhile takes it out. It holds as long as the end of each connection is told: what
  // was no connection and had its number then would not be watched.
  if (known->is_connection && (known->wanted == 0 || known->wanted == known->watched)) return 0;
  if (known->wanted == 0) {
    // A socket that is closed already has left by itself.
    change(poller, descriptor, EPOLL_CTL_DEL, 0);
    *known = (watch){0};
    return 0;
  }
  int error = change(poller, descriptor, known->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, known->wanted);
  // Where the number was another socket's before, or is this one's still.
  if (error == ENOENT || error == EEXIST)
    error = change(poller, descriptor, error == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, known->wanted);
  known->watched = error ? 0 : known->wanted;
  return error;
}

void clh_poller_keep(clh_poller *poller, int descriptor, bool is_silent) {
  if (descriptor < 0 || descriptor >= poller->capacity) return;
  poller->watches[descriptor].is_kept = true;
  poller->watches[descriptor].is_silent = is_silent;
}

/// Ends a kept connection. libcurl asks whether there is anything to be read before it uses one again, and takes the end
/// of TLS (close_notify) for a sign of life; of one that has ended here it sees that it has.
static void end_kept(int descriptor) {
  char scrap[4096];
  shutdown(descriptor, SHUT_RDWR);
  while (recv(descriptor, scrap, sizeof scrap, MSG_DONTWAIT) > 0) {
  }
}

/// Something comes of a connection that is kept for the next request.
static void look_at_kept(clh_poller *poller, int descriptor, watch *known, uint32_t events) {
  bool has_ended = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
  if (known->is_connection && (has_ended || (known->is_silent && events & EPOLLIN))) {
    change(poller, descriptor, EPOLL_CTL_DEL, 0);
    known->watched = 0;
    end_kept(descriptor);
    return;
  }
  // What a server of HTTP/2 says unasked, libcurl reads when it uses the connection again.
  uint8_t what = known->is_silent ? CURL_POLL_IN : POLL_END;
  known->watched = known->is_connection && change(poller, descriptor, EPOLL_CTL_MOD, what) == 0 ? what : 0;
  if (!known->watched) change(poller, descriptor, EPOLL_CTL_DEL, 0);
}

int clh_poller_wait(clh_poller *poller, int64_t nanoseconds, clh_ready *ready, int capacity) {
  struct epoll_event events[MOST_EVENTS];
  if (capacity > MOST_EVENTS) capacity = MOST_EVENTS;
  // Rounded up: a wait that ends before its time would be begun again at once, and burn the processor meanwhile.
  int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
  if (milliseconds > 3600000) milliseconds = 3600000;
  int count = epoll_wait(poller->epoll, events, capacity, (int)milliseconds);
  int filled = 0;
  for (int i = 0; i < count; i++) {
    int descriptor = events[i].data.fd;
    if (descriptor == poller->waker) {
      uint64_t value;
      while (read(descriptor, &value, sizeof value) > 0) {
      }
      continue;
    }
    watch *known = watch_of(poller, descriptor);
    if (known && known->wanted == 0) {
      if (known->is_kept) {
        look_at_kept(poller, descriptor, known, events[i].events);
      } else {
        // It is added again when the transfer goes on.
        change(poller, descriptor, EPOLL_CTL_DEL, 0);
        known->watched = 0;
      }
      continue;
    }
    int what = 0;
    if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
    ready[filled++] = (clh_ready){.descriptor = descriptor, .events = what};
  }
  return filled;
}

void clh_poller_wake(clh_poller *poller) { clh_signal_raise(poller->waker); }

void clh_signal_raise(int waker) {
  uint64_t one = 1;
  // A counter that is full wakes as well.
  ssize_t written = write(waker, &one, sizeof one);
  (void)written;
}

void clh_begin_thread(const char *name) {
  pthread_setname_np(pthread_self(), name);
  // Before 7.88, libcurl says goodbye by TLS on a connection that has ended, which would end the program.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, NULL);
}

int64_t clh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
