#define _GNU_SOURCE
#include "CLarderHTTP.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>

static pthread_once_t initialised = PTHREAD_ONCE_INIT;
static CURLcode initialisation = CURLE_FAILED_INIT;

/// OPENSSL_INIT_NO_ATEXIT.
static const uint64_t no_cleanup_at_exit = 0x00080000;

/// OpenSSL takes itself apart when the process ends, while threads may still be ending that have used it, a transport's
/// among them: that crashes a program that has done everything. As the program begins, since it holds only for who is the
/// first to use OpenSSL. Looked for by its name: libcurl may be built with another library.
__attribute__((constructor)) static void keep_openssl(void) {
  int (*init)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
  if (init) init(no_cleanup_at_exit, NULL);
}

static void initialise(void) { initialisation = curl_global_init(CURL_GLOBAL_DEFAULT); }

int clh_global_init(void) {
  pthread_once(&initialised, initialise);
  return (int)initialisation;
}

CURLcode clh_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }

CURLcode clh_set_offset(CURL *handle, CURLoption option, int64_t value) {
  return curl_easy_setopt(handle, option, (curl_off_t)value);
}

CURLcode clh_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode clh_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode clh_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode clh_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

CURLcode clh_set_data_function(CURL *handle, CURLoption option, clh_data_function function) {
  return curl_easy_setopt(handle, option, function);
}

CURLcode clh_set_prerequest(CURL *handle, clh_prerequest_function function) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

CURLcode clh_set_socket_functions(CURL *handle, clh_opened_function opened, clh_close_function closes, void *context) {
  // Who closes it first: a socket that was told of must not end untold.
  CURLcode result = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, closes);
  if (!result) result = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
  if (!result) result = curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, context);
  return result ? result : curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, opened);
}

CURLcode clh_allow_http_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

CURLcode clh_leave_resolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)handle;
  return CURLE_OK;
#endif
}

CURLcode clh_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }

CURLcode clh_get_pointer(CURL *handle, CURLINFO info, void **value) { return curl_easy_getinfo(handle, info, value); }

void clh_measure(CURL *handle, clh_measured *measured) {
  curl_off_t name_lookup = 0, connect = 0, tls = 0, first_byte = 0, total = 0, body_bytes = 0, uploaded_bytes = 0;
  *measured = (clh_measured){0};
  curl_easy_getinfo(handle, CURLINFO_NAMELOOKUP_TIME_T, &name_lookup);
  curl_easy_getinfo(handle, CURLINFO_CONNECT_TIME_T, &connect);
  curl_easy_getinfo(handle, CURLINFO_APPCONNECT_TIME_T, &tls);
  curl_easy_getinfo(handle, CURLINFO_STARTTRANSFER_TIME_T, &first_byte);
  curl_easy_getinfo(handle, CURLINFO_TOTAL_TIME_T, &total);
  curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &body_bytes);
  curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &uploaded_bytes);
  curl_easy_getinfo(handle, CURLINFO_HEADER_SIZE, &measured->header_bytes);
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &measured->request_bytes);
  curl_easy_getinfo(handle, CURLINFO_HTTP_VERSION, &measured->version);
  measured->name_lookup = name_lookup;
  measured->connect = connect;
  measured->tls = tls;
  measured->first_byte = first_byte;
  measured->total = total;
  measured->body_bytes = body_bytes;
  measured->uploaded_bytes = uploaded_bytes;
}

CURLMcode clh_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

CURLMcode clh_multi_set_socket_function(CURLM *multi, curl_socket_callback function, void *context) {
  CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
  return result ? result : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

CURLMcode clh_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function, void *context) {
  CURLMcode result = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
  return result ? result : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

CURL *clh_next_finished(CURLM *multi, CURLcode *result) {
  int remaining;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &remaining))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

#endif
