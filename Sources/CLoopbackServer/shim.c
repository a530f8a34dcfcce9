#define _GNU_SOURCE
#include "CLoopbackServer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Linux tells of the peer's end as an event of its own; elsewhere a hang-up is always reported.
#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

enum { MILLISECONDS_FOR_ROOM = 10 };

static int close_and_return_error(int socket) {
  int error = errno;
  close(socket);
  return -error;
}

int clb_listen(uint16_t port, uint16_t *chosen) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return -errno;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);

  // A port whose last connections are still in TIME_WAIT may be taken again; one that is listened on may not.
  int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);

  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return close_and_return_error(descriptor);
  if (listen(descriptor, SOMAXCONN) != 0) return close_and_return_error(descriptor);

  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return close_and_return_error(descriptor);
  *chosen = ntohs(address.sin_port);
  return descriptor;
}

static int accept_once(int listener) {
#if defined(__linux__)
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
#else
  int descriptor = accept(listener, NULL, NULL);
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}

// Whether a listener is shut down within a time: nothing else that happens to it is waited for.
static int is_shut_down(int listener, int milliseconds) {
  struct pollfd shutting = {.fd = listener};
  return poll(&shutting, 1, milliseconds) > 0;
}

int clb_accept(int listener) {
  while (1) {
    int descriptor = accept_once(listener);
    if (descriptor >= 0) return descriptor;
    switch (errno) {
      // What was wrong with one connection is nothing to the next (accept(2), "Error handling").
      case EINTR: case ECONNABORTED: case EPROTO: case ENOPROTOOPT: case ENETDOWN: case ENETUNREACH: case EHOSTDOWN:
      case EHOSTUNREACH: case EOPNOTSUPP:
#ifdef ENONET
      case ENONET:
#endif
        if (is_shut_down(listener, 0)) return -1;
        break;
      // Those who wait go on waiting until there is room, unless the listener is shut down meanwhile: that is looked for
      // here, since without room the system does not say so.
      case EMFILE: case ENFILE: case ENOBUFS: case ENOMEM:
        if (is_shut_down(listener, MILLISECONDS_FOR_ROOM)) return -1;
        break;
      default: return -1;
    }
  }
}

struct MHD_Daemon *clb_start(
    int socket, unsigned int connection_limit, unsigned int idle_seconds, const char *certificate, const char *key,
    clb_uri_callback begun, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, void *context) {
  unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL;
  // libmicrohttpd takes what it does not change by pointers that are not const.
  struct MHD_OptionItem secure[] = {
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key}, {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  int is_secure = certificate && key;
  return MHD_start_daemon(
      is_secure ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, handler, context, MHD_OPTION_LISTEN_SOCKET, socket,
      MHD_OPTION_CONNECTION_LIMIT, connection_limit, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_URI_LOG_CALLBACK, begun, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_ARRAY, is_secure ? secure : plain, MHD_OPTION_END);
}

int clb_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

void clb_never_time_out(struct MHD_Connection *connection) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
}

int clb_pipe(int ends[2]) {
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

int clb_wait(int socket, int signal, int stop) {
  // A negative descriptor is skipped by poll.
  struct pollfd wanted[3] = {
      {.fd = socket, .events = POLLRDHUP}, {.fd = signal, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
  int ready;
  do {
    ready = poll(wanted, 3, -1);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return CLB_DISCONNECTED;

  int result = 0;
  if (wanted[0].revents) result |= CLB_DISCONNECTED;
  if (wanted[1].revents) result |= CLB_SIGNALLED;
  if (wanted[2].revents) result |= CLB_STOPPED;
  return result;
}
