#define _GNU_SOURCE
#include "CLarderHTTP.h"

#if defined(__linux__)

#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int clh_links_open(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups =
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  return -error;
}

int clh_links_wait(int descriptor, int stop) {
  struct pollfd wanted[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
  int ready;
  do {
    ready = poll(wanted, 2, -1);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0 || wanted[1].revents) return 0;
  // What the messages say is not looked at: they tell that something changed, and may have been lost (ENOBUFS).
  char buffer[8192];
  while (recv(descriptor, buffer, sizeof buffer, 0) > 0) {
  }
  return 1;
}

int clh_links_are_up(void) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) != 0) return -1;
  int result = 0;
  for (struct ifaddrs *one = all; one && !result; one = one->ifa_next) {
    unsigned int wanted = IFF_UP | IFF_RUNNING;
    if (!one->ifa_addr || (one->ifa_flags & wanted) != wanted || (one->ifa_flags & IFF_LOOPBACK)) continue;
    if (one->ifa_addr->sa_family == AF_INET) result = 1;
    if (one->ifa_addr->sa_family == AF_INET6) {
      const struct in6_addr *address = &((const struct sockaddr_in6 *)(const void *)one->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(address)) result = 1;
    }
  }
  freeifaddrs(all);
  return result;
}

int clh_signal_open(void) {
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

void clh_close(int descriptor) { close(descriptor); }

#endif
