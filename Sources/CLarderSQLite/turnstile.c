// A counting semaphore that serves callers in the order of their arrival. A plain mutex lets the thread that has just
// let go take it again, and so starves the others; here a permit is handed to the first in the queue.
#define _GNU_SOURCE
#include "CLarderSQLite.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// Lives on the stack of the thread that waits.
typedef struct waiter {
  pthread_cond_t turn;
  int admitted;
  struct waiter *next;
} waiter;

struct larder_turnstile {
  pthread_mutex_t mutex;
  int64_t permits;
  int64_t waiting;
  waiter *first, *last;
};

larder_turnstile *larder_turnstile_create(int64_t permits) {
  larder_turnstile *turnstile = calloc(1, sizeof(larder_turnstile));
  if (turnstile == NULL) return NULL;
  pthread_mutex_init(&turnstile->mutex, NULL);
  turnstile->permits = permits;
  return turnstile;
}

void larder_turnstile_destroy(larder_turnstile *turnstile) {
  pthread_mutex_destroy(&turnstile->mutex);
  free(turnstile);
}

static void make_condition(pthread_cond_t *condition) {
#ifdef __APPLE__
  pthread_cond_init(condition, NULL);
#else
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline) {
#ifdef __APPLE__
  int64_t left = deadline - larder_monotonic_nanoseconds();
  if (left < 0) left = 0;
  struct timespec time = {left / 1000000000, left % 1000000000};
  return pthread_cond_timedwait_relative_np(condition, mutex, &time);
#else
  struct timespec time = {deadline / 1000000000, deadline % 1000000000};
  return pthread_cond_timedwait(condition, mutex, &time);
#endif
}

static void leave_queue(larder_turnstile *turnstile, waiter *gone) {
  waiter *previous = NULL;
  for (waiter *at = turnstile->first; at != NULL; previous = at, at = at->next) {
    if (at != gone) continue;
    if (previous == NULL) turnstile->first = at->next;
    else previous->next = at->next;
    if (turnstile->last == at) turnstile->last = previous;
    turnstile->waiting--;
    return;
  }
}

int larder_turnstile_enter(larder_turnstile *turnstile, int64_t limit) {
  int64_t deadline = limit < 0 ? 0 : larder_monotonic_nanoseconds() + limit;
  pthread_mutex_lock(&turnstile->mutex);
  if (turnstile->permits > 0 && turnstile->first == NULL) {
    turnstile->permits--;
    pthread_mutex_unlock(&turnstile->mutex);
    return 0;
  }
  waiter self = {.admitted = 0, .next = NULL};
  make_condition(&self.turn);
  if (turnstile->last == NULL) turnstile->first = &self;
  else turnstile->last->next = &self;
  turnstile->last = &self;
  turnstile->waiting++;
  int error = 0;
  while (!self.admitted && error != ETIMEDOUT) {
    error = limit < 0 ? pthread_cond_wait(&self.turn, &turnstile->mutex)
                      : wait_until(&self.turn, &turnstile->mutex, deadline);
  }
  if (!self.admitted) leave_queue(turnstile, &self);
  pthread_mutex_unlock(&turnstile->mutex);
  pthread_cond_destroy(&self.turn);
  return self.admitted ? 0 : 1;
}

void larder_turnstile_leave(larder_turnstile *turnstile) {
  pthread_mutex_lock(&turnstile->mutex);
  waiter *next = turnstile->first;
  if (next == NULL) {
    turnstile->permits++;
  } else {
    turnstile->first = next->next;
    if (turnstile->first == NULL) turnstile->last = NULL;
    turnstile->waiting--;
    next->admitted = 1;
    // Under the mutex: once admitted is seen, the waiter and its condition may be gone.
    pthread_cond_signal(&next->turn);
  }
  pthread_mutex_unlock(&turnstile->mutex);
}

int64_t larder_turnstile_waiting(larder_turnstile *turnstile) {
  pthread_mutex_lock(&turnstile->mutex);
  int64_t waiting = turnstile->waiting;
  pthread_mutex_unlock(&turnstile->mutex);
  return waiting;
}
