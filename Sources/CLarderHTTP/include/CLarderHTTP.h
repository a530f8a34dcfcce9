#pragma once

// What Swift cannot say to libcurl: its options are variadic functions, so there is one function here for each class of
// argument; epoll(7), whose event is a packed union; and what takes content codings off, by the libraries that each has.

#if defined(__linux__)

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Initialises libcurl, once for the process. Returns 0, or the code of libcurl.
int clh_global_init(void);

// MARK: - Options of a transfer

typedef size_t (*clh_data_function)(char *data, size_t size, size_t count, void *context);
typedef int (*clh_prerequest_function)(void *context, char *, char *, int, int);
typedef int (*clh_opened_function)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*clh_close_function)(void *context, curl_socket_t socket);

CURLcode clh_set_long(CURL *handle, CURLoption option, long value);
CURLcode clh_set_offset(CURL *handle, CURLoption option, int64_t value);
CURLcode clh_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode clh_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode clh_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
/// The bytes are copied.
CURLcode clh_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode clh_set_data_function(CURL *handle, CURLoption option, clh_data_function function);
CURLcode clh_set_prerequest(CURL *handle, clh_prerequest_function function);
/// Who is told of a connection's socket when it was made, and who closes it.
CURLcode clh_set_socket_functions(CURL *handle, clh_opened_function opened, clh_close_function closes, void *context);

/// HTTP and HTTPS, and nothing else that libcurl speaks.
CURLcode clh_allow_http_only(CURL *handle);
/// A transfer that is removed while its name is being resolved does not wait for the resolver's thread.
CURLcode clh_leave_resolver(CURL *handle);

// MARK: - What is known of a transfer

CURLcode clh_get_long(CURL *handle, CURLINFO info, long *value);
CURLcode clh_get_pointer(CURL *handle, CURLINFO info, void **value);

/// What libcurl has measured of a transfer so far. Times are in microseconds from its beginning.
typedef struct {
  int64_t name_lookup, connect, tls, first_byte, total;
  int64_t body_bytes, uploaded_bytes;
  long header_bytes, request_bytes;
  /// CURL_HTTP_VERSION_1_1 and the like.
  long version;
} clh_measured;

/// All of it at once. What libcurl does not know is 0.
void clh_measure(CURL *handle, clh_measured *measured);

// MARK: - Options of a set of transfers

CURLMcode clh_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode clh_multi_set_socket_function(CURLM *multi, curl_socket_callback function, void *context);
CURLMcode clh_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function, void *context);

/// The transfer that has ended, and how; NULL when there is none. Takes the message's union apart.
CURL *clh_next_finished(CURLM *multi, CURLcode *result);

// MARK: - Streams of HTTP/2

/// Says on this thread of which transfer a stream was closed without being handled: the server has refused it, or has ended
/// the connection and named a former stream as its last (RFC 9113, sections 6.8 and 8.7), or it never left. With NULL, no more.
///
/// libcurl knows all this and tells nothing of it. So its calls of nghttp2 are seen, where that is another library that is
/// linked dynamically; elsewhere nothing is said.
void clh_watch_streams(void (*is_unhandled)(void *context, CURL *handle), void *context);

// MARK: - Content codings

/// How a body is encoded (RFC 9110, section 8.4.1; RFC 7932; RFC 8878).
typedef enum { CLH_CODING_GZIP, CLH_CODING_DEFLATE, CLH_CODING_BROTLI, CLH_CODING_ZSTD } clh_coding;

typedef enum {
  CLH_DECODED,
  /// What came is not of this coding.
  CLH_DECODING_DAMAGED,
  CLH_DECODING_NO_MEMORY
} clh_decoding;

/// Takes one coding off a body. One thread at a time uses it.
typedef struct clh_decoder clh_decoder;

/// Returns NULL where there is no memory for it.
clh_decoder *clh_decoder_open(clh_coding coding);
void clh_decoder_close(clh_decoder *decoder);
/// Reads of `count` bytes as many as it takes, and fills of `space` bytes as many as it makes, at least one of each unless
/// there is nothing more to do before it has more. So where it makes none, it has taken all. What follows a whole body by
/// gzip, deflate or brotli is taken and left out, as padding; by zstd it is damage.
clh_decoding clh_decoder_decode(
    clh_decoder *decoder, const uint8_t *input, size_t count, size_t *taken, uint8_t *room, size_t space, size_t *made);
/// Whether what it was given so far may be the whole of a body: it ends where a stream does, or there was nothing.
bool clh_decoder_is_whole(const clh_decoder *decoder);

// MARK: - Waiting

typedef struct {
  int descriptor;
  /// CURL_CSELECT_IN, _OUT and _ERR.
  int events;
} clh_ready;

/// Waits for sockets (epoll(7)), and for whoever wakes it. One thread uses it, but for ``clh_poller_wake``.
typedef struct clh_poller clh_poller;

/// Returns NULL where the system has no descriptor or no memory left.
clh_poller *clh_poller_open(void);
void clh_poller_close(clh_poller *poller);
/// A connection was made, whose end `clh_poller_forget` tells of: it stays watched between two requests, and is for no
/// process that is begun meanwhile. Returns 0 or errno.
int clh_poller_know(clh_poller *poller, int descriptor);
/// A connection is about to be closed.
void clh_poller_forget(clh_poller *poller, int descriptor);
/// Watches a socket as libcurl asks (CURL_POLL_IN and the like). Returns 0 or errno.
int clh_poller_watch(clh_poller *poller, int descriptor, int what);
/// A connection is kept for the next request. One whose server closes it is ended before it is used again; and where the
/// server says nothing unasked, so that anything that comes is its end or damage, one that speaks.
void clh_poller_keep(clh_poller *poller, int descriptor, bool is_silent);
/// Waits until something is ready, for `nanoseconds` at most, or for ever if that is negative. Returns how many of
/// `ready` were filled; the waker is emptied and not among them, nor is what nobody wants to hear of.
int clh_poller_wait(clh_poller *poller, int64_t nanoseconds, clh_ready *ready, int capacity);
void clh_poller_wake(clh_poller *poller);

// MARK: - Links

/// A socket that tells of links, addresses and routes that change (rtnetlink(7)). Returns -errno where there is none.
int clh_links_open(void);
/// Waits until something changed. 0 where `stop` was raised.
int clh_links_wait(int descriptor, int stop);
/// Whether an interface other than the loopback's runs and has an address that reaches further than its link: 1 or 0; -1
/// where that cannot be known.
int clh_links_are_up(void);
/// Something to wake a thread with. Returns -errno where there is none.
int clh_signal_open(void);
void clh_signal_raise(int signal);
void clh_close(int descriptor);

/// What the system calls this thread, in 15 bytes at most; and no connection that has ended ends the program (SIGPIPE).
void clh_begin_thread(const char *name);

/// CLOCK_MONOTONIC in nanoseconds.
int64_t clh_now(void);

#endif
