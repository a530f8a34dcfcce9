#define _GNU_SOURCE
#include "CLarderHTTP.h"

#if defined(__linux__)

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EVENTS = 128 };

int clh_poller_open(int *poller, int *waker) {
  *poller = epoll_create1(EPOLL_CLOEXEC);
  if (*poller < 0) return errno;
  *waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (*waker < 0) {
    int error = errno;
    close(*poller);
    *poller = -1;
    return error;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.fd = *waker};
  if (epoll_ctl(*poller, EPOLL_CTL_ADD, *waker, &event) != 0) {
    int error = errno;
    clh_poller_close(*poller, *waker);
    *poller = *waker = -1;
    return error;
  }
  return 0;
}

void clh_poller_close(int poller, int waker) {
  close(poller);
  close(waker);
}

int clh_poller_watch(int poller, int descriptor, int what) {
  struct epoll_event event = {.data.fd = descriptor};
  if (what == CURL_POLL_REMOVE) {
    // A socket that is closed already has left by itself.
    epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &event);
    return 0;
  }
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  if (epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  if (errno != ENOENT) return errno;
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int clh_poller_wait(int poller, int waker, int64_t nanoseconds, clh_ready *ready, int capacity) {
  struct epoll_event events[MOST_EVENTS];
  if (capacity > MOST_EVENTS) capacity = MOST_EVENTS;
  // Rounded up: a wait that ends before its time would be begun again at once, and burn the processor meanwhile.
  int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
  if (milliseconds > 3600000) milliseconds = 3600000;
  int count = epoll_wait(poller, events, capacity, (int)milliseconds);
  int filled = 0;
  for (int i = 0; i < count; i++) {
    if (events[i].data.fd == waker) {
      uint64_t value;
      while (read(waker, &value, sizeof value) > 0) {
      }
      continue;
    }
    int what = 0;
    if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
    ready[filled++] = (clh_ready){.descriptor = events[i].data.fd, .events = what};
  }
  return filled;
}

void clh_poller_wake(int waker) {
  uint64_t one = 1;
  // A counter that is full wakes as well.
  ssize_t written = write(waker, &one, sizeof one);
  (void)written;
}

int64_t clh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
