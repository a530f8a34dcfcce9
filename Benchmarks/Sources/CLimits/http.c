// A client of plain C: libcurl's multi interface on one thread, driven by its sockets, as its own documentation has it.
#define _GNU_SOURCE
#include "CLimits.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef struct {
  CURL *handle;
  struct curl_slist *fields;
  char *body;
  size_t length, capacity;
} transfer;

struct limit_http {
  CURLM *multi;
  transfer *transfers;
  int32_t at_once;
  int poller;
  long timeout;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  transfer *one = context;
  size_t added = size * count;
  if (one->length + added > one->capacity) {
    size_t capacity = one->capacity ? one->capacity * 2 : 2048;
    while (capacity < one->length + added) capacity *= 2;
    char *larger = realloc(one->body, capacity);
    if (!larger) return 0;
    one->body = larger;
    one->capacity = capacity;
  }
  memcpy(one->body + one->length, bytes, added);
  one->length += added;
  return added;
}

static int watch(CURL *handle, curl_socket_t socket, int what, void *context, void *known) {
  (void)handle;
  limit_http *client = context;
  struct epoll_event event = {.data.fd = socket};
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(client->poller, EPOLL_CTL_DEL, socket, &event);
    return 0;
  }
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  int failed = epoll_ctl(client->poller, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  if (!known) curl_multi_assign(client->multi, socket, client);
  return failed ? -1 : 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  ((limit_http *)context)->timeout = milliseconds;
  return 0;
}

limit_http *limit_http_open(const char *url, int32_t at_once) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
  limit_http *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->at_once = at_once;
  client->timeout = -1;
  client->poller = epoll_create1(EPOLL_CLOEXEC);
  client->multi = curl_multi_init();
  client->transfers = calloc((size_t)at_once, sizeof *client->transfers);
  if (client->poller < 0 || !client->multi || !client->transfers) {
    limit_http_close(client);
    return NULL;
  }
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, 64L);
  for (int32_t i = 0; i < at_once; i++) {
    transfer *one = &client->transfers[i];
    one->handle = curl_easy_init();
    if (!one->handle) {
      limit_http_close(client);
      return NULL;
    }
    curl_easy_setopt(one->handle, CURLOPT_URL, url);
    // The request that the client sends, byte for byte: what is longer costs more to write, to send and to read.
    one->fields = curl_slist_append(NULL, "Accept: application/json");
    curl_easy_setopt(one->handle, CURLOPT_HTTPHEADER, one->fields);
    curl_easy_setopt(one->handle, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(one->handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(one->handle, CURLOPT_PROXY, "");
    curl_easy_setopt(one->handle, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(one->handle, CURLOPT_WRITEDATA, one);
    curl_easy_setopt(one->handle, CURLOPT_PRIVATE, one);
  }
  return client;
}

void limit_http_close(limit_http *client) {
  for (int32_t i = 0; client->transfers && i < client->at_once; i++) {
    if (client->transfers[i].handle) curl_easy_cleanup(client->transfers[i].handle);
    curl_slist_free_all(client->transfers[i].fields);
    free(client->transfers[i].body);
  }
  if (client->multi) curl_multi_cleanup(client->multi);
  if (client->poller >= 0) close(client->poller);
  free(client->transfers);
  free(client);
}

// Ends what has ended, and begins as many others while there are any. Returns how many ended well.
static int32_t turn_over(limit_http *client, size_t length, int32_t *left, int32_t *under_way) {
  int32_t good = 0;
  int remaining;
  CURLMsg *message;
  while ((message = curl_multi_info_read(client->multi, &remaining))) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL *handle = message->easy_handle;
    CURLcode result = message->data.result;
    transfer *one = NULL;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_PRIVATE, &one);
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (result == CURLE_OK && status == 200 && one->length == length) good++;
    curl_multi_remove_handle(client->multi, handle);
    free(one->body);
    one->body = NULL;
    one->length = one->capacity = 0;
    (*under_way)--;
    if (*left > 0 && curl_multi_add_handle(client->multi, handle) == CURLM_OK) {
      (*left)--;
      (*under_way)++;
    }
  }
  return good;
}

int32_t limit_http_get(limit_http *client, int32_t count, size_t length) {
  int32_t good = 0, left = count, under_way = 0;
  for (int32_t i = 0; i < client->at_once && left > 0; i++) {
    if (curl_multi_add_handle(client->multi, client->transfers[i].handle) != CURLM_OK) break;
    left--;
    under_way++;
  }
  struct epoll_event events[64];
  while (under_way > 0) {
    int running;
    int ready = epoll_wait(client->poller, events, 64, client->timeout < 0 ? 1000 : (int)client->timeout);
    if (ready < 0) break;
    for (int i = 0; i < ready; i++) {
      int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                 (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(client->multi, events[i].data.fd, what, &running);
    }
    if (ready == 0 || client->timeout == 0) {
      client->timeout = -1;
      curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    good += turn_over(client, length, &left, &under_way);
  }
  return good;
}
