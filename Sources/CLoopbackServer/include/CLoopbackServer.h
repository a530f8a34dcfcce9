#pragma once

#include <microhttpd.h>
#include <stdint.h>

// What Swift cannot say to libmicrohttpd and to poll(2): variadic functions, a union, and names that differ between
// systems. Everything else is called from Swift directly.

/// A listening socket on 127.0.0.1, closed on exec. `port` 0 lets the system choose; `chosen` receives the port.
/// Returns the descriptor, or -errno.
int clb_listen(uint16_t port, uint16_t *chosen);

/// Accepts a connection, which is closed on exec: a process that a test starts must not keep it open. A signal, a peer that
/// has gone again, or too many open files end nothing. Returns the descriptor, or -1 when the listener is shut down.
int clb_accept(int listener);

/// Called with the target of a request as it came, before its path is decoded. What it returns is the state that the handler
/// is given from its first call on, and `completed` at the end, also where the request never came whole.
typedef void *(*clb_uri_callback)(void *context, const char *uri, struct MHD_Connection *connection);

/// Starts a daemon with a thread for each connection on a socket that listens already. NULL if it cannot be started.
/// `certificate` and `key`, in PEM, make it speak TLS; both may be NULL. They are read before this returns.
struct MHD_Daemon *clb_start(
    int socket, unsigned int connection_limit, unsigned int idle_seconds, const char *certificate, const char *key,
    clb_uri_callback begun, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, void *context);

/// The descriptor of a connection, or -1.
int clb_connection_socket(struct MHD_Connection *connection);

/// Lifts the idle time-out of a connection.
void clb_never_time_out(struct MHD_Connection *connection);

/// A pipe whose ends don't block and are closed on exec. Returns 0, or errno.
int clb_pipe(int ends[2]);

#define CLB_SIGNALLED 1
#define CLB_STOPPED 2
#define CLB_DISCONNECTED 4

/// Sleeps until `signal` or `stop` is readable or the peer of `socket` has gone, without time-out. Returns a mask of the
/// constants above. `signal` may be -1.
int clb_wait(int socket, int signal, int stop);
