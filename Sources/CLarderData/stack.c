#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLarderData.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// The end of the thread's stack, towards which it grows. Found out once for a thread.
static _Thread_local uintptr_t lowest;

static uintptr_t find_lowest(void) {
#if defined(__APPLE__)
  return (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#else
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)start;
#endif
}

ptrdiff_t larder_stack_room(void) {
  if (lowest == 0) lowest = find_lowest();
  // The frame's own place: a variable may be elsewhere, as under a sanitizer.
  return (ptrdiff_t)((uintptr_t)__builtin_frame_address(0) - lowest);
}

struct job {
  void (*body)(void *);
  void *context;
};

static void *run(void *pointer) {
  struct job *job = pointer;
  job->body(job->context);
  return NULL;
}

int larder_run_on_stack(size_t bytes, void (*body)(void *), void *context) {
  size_t page = (size_t)getpagesize();
  struct job job = {body, context};
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return 0;
  int failed = pthread_attr_setstacksize(&attributes, (bytes + page - 1) / page * page);
  if (!failed) failed = pthread_create(&thread, &attributes, run, &job);
  pthread_attr_destroy(&attributes);
  if (failed) return 0;
  pthread_join(thread, NULL);
  return 1;
}
