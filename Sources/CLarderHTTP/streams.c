#define _GNU_SOURCE
#include "CLarderHTTP.h"

#if defined(__linux__)

#include <dlfcn.h>

// The part of nghttp2's interface that is needed here (libnghttp2.so.14), whose headers are not where libcurl's are.

typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;

typedef struct {
  size_t length;
  int32_t stream_id;
  uint8_t type, flags, reserved;
} frame_head;

typedef int (*frame_function)(nghttp2_session *session, const frame_head *frame, void *context);
typedef int (*unsent_function)(nghttp2_session *session, const frame_head *frame, int error, void *context);
typedef int (*close_function)(nghttp2_session *session, int32_t stream, uint32_t error, void *context);

enum { FRAME_HEADERS = 1, FRAME_RST_STREAM = 3 };
enum { NO_ERROR = 0, REFUSED_STREAM = 7 };

typedef void (*set_frame_function)(nghttp2_session_callbacks *, frame_function);
typedef void (*set_close_function)(nghttp2_session_callbacks *, close_function);
typedef void (*set_unsent_function)(nghttp2_session_callbacks *, unsent_function);
typedef void *(*transfer_function)(nghttp2_session *, int32_t);
typedef int (*answered_function)(nghttp2_session *, int32_t);

/// What libcurl has nghttp2 call. Each transport's thread sets it, and to the same.
static struct {
  _Atomic(frame_function) frame_came;
  _Atomic(close_function) stream_closed;
} libcurl;

/// nghttp2's own.
static struct {
  _Atomic(set_frame_function) set_frame_came;
  _Atomic(set_close_function) set_stream_closed;
  _Atomic(transfer_function) transfer;
  _Atomic(answered_function) has_answered;
} nghttp2;

/// Who wants to know on this thread, and the stream whose answer was whole when its server has reset it.
static _Thread_local struct {
  void (*is_unhandled)(void *, CURL *);
  void *context;
  nghttp2_session *session;
  int32_t answered;
} watcher;

void clh_watch_streams(void (*is_unhandled)(void *context, CURL *handle), void *context) {
  watcher.is_unhandled = is_unhandled;
  watcher.context = context;
}

static void tell_of_unhandled(nghttp2_session *session, int32_t stream) {
  transfer_function transfer = nghttp2.transfer;
  void *handle = transfer ? transfer(session, stream) : NULL;
  if (handle && watcher.is_unhandled) watcher.is_unhandled(watcher.context, handle);
}

/// Before nghttp2 takes a reset for the end of what the server sends, too.
static int frame_begins(nghttp2_session *session, const frame_head *frame, void *context) {
  (void)context;
  answered_function has_answered = nghttp2.has_answered;
  if (frame->type == FRAME_RST_STREAM && has_answered && has_answered(session, frame->stream_id) == 1) {
    watcher.session = session;
    watcher.answered = frame->stream_id;
  }
  return 0;
}

static bool is_answered(nghttp2_session *session, int32_t stream) {
  return watcher.session == session && watcher.answered == stream;
}

static int frame_came(nghttp2_session *session, const frame_head *frame, void *context) {
  // "A client MUST NOT discard responses as a consequence of receiving such a RST_STREAM" (RFC 9113, section 8.1): libcurl
  // 7.88 does, where both come at once. Without this frame it sees a stream that has ended with its answer.
  if (frame->type == FRAME_RST_STREAM && is_answered(session, frame->stream_id)) return 0;
  frame_function came = libcurl.frame_came;
  return came(session, frame, context);
}

static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error, void *context) {
  if (is_answered(session, stream)) {
    error = NO_ERROR;
    watcher.session = NULL;
  }
  if (error == REFUSED_STREAM) tell_of_unhandled(session, stream);
  close_function closed = libcurl.stream_closed;
  return closed(session, stream, error, context);
}

static int frame_unsent(nghttp2_session *session, const frame_head *frame, int error, void *context) {
  (void)error, (void)context;
  if (frame->type == FRAME_HEADERS) tell_of_unhandled(session, frame->stream_id);
  return 0;
}

/// Whether a function is of the libcurl that transfers are made with: others in this process use nghttp2, too.
static bool is_of_libcurl(void *function) {
  void *known = dlsym(RTLD_DEFAULT, "curl_easy_init");
  Dl_info one, other;
  return known && dladdr(known, &one) && dladdr(function, &other) && one.dli_fbase == other.dli_fbase;
}

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  // Where libcurl, and nghttp2 with it, were loaded later.
  void *library = dlopen("libnghttp2.so.14", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : NULL;
}

// These have the names of nghttp2's own, so that libcurl, which looks for them in the program first, finds them here; with
// which it calls the others. Weak, for programs that have nghttp2 in them.

__attribute__((weak, visibility("default"))) void nghttp2_session_callbacks_set_on_frame_recv_callback(
    nghttp2_session_callbacks *callbacks, frame_function function) {
  set_frame_function set = nghttp2.set_frame_came;
  if (!set) {
    set = (set_frame_function)next("nghttp2_session_callbacks_set_on_frame_recv_callback");
    if (!set) return;
    nghttp2.set_frame_came = set;
  }
  if (is_of_libcurl((void *)function)) {
    nghttp2.has_answered = (answered_function)next("nghttp2_session_get_stream_remote_close");
    libcurl.frame_came = function;
    function = frame_came;
    set_frame_function set_begins =
        (set_frame_function)next("nghttp2_session_callbacks_set_on_begin_frame_callback");
    if (set_begins) set_begins(callbacks, frame_begins);
  }
  set(callbacks, function);
}

__attribute__((weak, visibility("default"))) void nghttp2_session_callbacks_set_on_stream_close_callback(
    nghttp2_session_callbacks *callbacks, close_function function) {
  set_close_function set = nghttp2.set_stream_closed;
  if (!set) {
    set = (set_close_function)next("nghttp2_session_callbacks_set_on_stream_close_callback");
    if (!set) return;
    nghttp2.set_stream_closed = set;
  }
  if (is_of_libcurl((void *)function)) {
    nghttp2.transfer = (transfer_function)next("nghttp2_session_get_stream_user_data");
    libcurl.stream_closed = function;
    function = stream_closed;
    set_unsent_function set_unsent =
        (set_unsent_function)next("nghttp2_session_callbacks_set_on_frame_not_send_callback");
    if (set_unsent) set_unsent(callbacks, frame_unsent);
  }
  set(callbacks, function);
}

#endif
