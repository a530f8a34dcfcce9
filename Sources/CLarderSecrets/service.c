#if defined(__linux__)

#include "CLarderSecrets.h"
#include "libsecret.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Its name is an attribute of each item, so that nobody else's are found.
static const secret_schema schema = {
    .name = "org.larder.Secret",
    .attributes = {{"service", 0}, {"account", 0}},
};

int cls_service_load(void) { return cls_libsecret() != NULL; }

void *cls_cancellable_make(void) {
  const libsecret *lib = cls_libsecret();
  return lib ? lib->g_cancellable_new() : NULL;
}

void cls_cancellable_cancel(void *cancellable) {
  if (cancellable) cls_libsecret()->g_cancellable_cancel(cancellable);
}

void cls_cancellable_free(void *cancellable) {
  if (cancellable) cls_libsecret()->g_object_unref(cancellable);
}

static int is_domain(const libsecret *lib, const g_error *error, const char *name) {
  const char *domain = lib->g_quark_to_string(error->domain);
  return domain && strcmp(domain, name) == 0;
}

// What an error means; takes it. Its message is not kept: it is others' text, of which nobody knows what is in it.
static cls_outcome judge(const libsecret *lib, g_error *error, void *cancellable, cls_failure *failure) {
  if (!error) return CLS_DISMISSED;
  const char *domain = lib->g_quark_to_string(error->domain);
  snprintf(failure->domain, sizeof failure->domain, "%s", domain ? domain : "");
  failure->code = error->code;
  cls_outcome outcome = CLS_FAILED;
  if (is_domain(lib, error, "g-io-error-quark")) {
    if (error->code == G_IO_CANCELLED)
      // Who closes the question cancels, too, and not by what the caller holds.
      outcome = lib->g_cancellable_is_cancelled(cancellable) ? CLS_CANCELLED : CLS_DISMISSED;
    else if (error->code == G_IO_TIMED_OUT) outcome = CLS_CANCELLED;
    else if (error->code == G_IO_CLOSED) outcome = CLS_NO_BUS;
  } else if (is_domain(lib, error, "g-dbus-error-quark")) {
    if (error->code == G_DBUS_DISCONNECTED) outcome = CLS_NO_BUS;
    else if (error->code == G_DBUS_TIMEOUT || error->code == G_DBUS_TIMED_OUT) outcome = CLS_CANCELLED;
    // Also one that the bus was to begin, and could not.
    else if ((error->code >= G_DBUS_SPAWN_FIRST && error->code <= G_DBUS_SPAWN_LAST) ||
             error->code == G_DBUS_SERVICE_UNKNOWN || error->code == G_DBUS_NAME_HAS_NO_OWNER ||
             error->code == G_DBUS_NO_REPLY)
      outcome = CLS_NO_SERVICE;
  } else if (is_domain(lib, error, "secret-error")) {
    if (error->code == SECRET_IS_LOCKED) outcome = CLS_LOCKED;
  }
  lib->g_error_free(error);
  // What is known of a service that failed may be of one that is gone: the next call asks anew.
  if (outcome != CLS_LOCKED && outcome != CLS_DISMISSED) lib->secret_service_disconnect();
  return outcome;
}

// The service, to be given back by g_object_unref.
static cls_outcome connect(const libsecret *lib, void *cancellable, void **service, cls_failure *failure) {
  memset(failure, 0, sizeof *failure);
  g_error *error = NULL;
  void *bus = lib->g_bus_get_sync(G_BUS_SESSION, cancellable, &error);
  if (bus && lib->g_dbus_connection_is_closed(bus)) {
    // GLib gives out the same connection for as long as anybody has it, and libsecret does: another one comes after that.
    lib->g_object_unref(bus);
    lib->secret_service_disconnect();
    bus = lib->g_bus_get_sync(G_BUS_SESSION, cancellable, &error);
  }
  if (!bus) {
    cls_outcome outcome = judge(lib, error, cancellable, failure);
    return outcome == CLS_CANCELLED ? outcome : CLS_NO_BUS;
  }
  // Else the end of the session's bus is the end of this process, where it runs GLib's main loop.
  lib->g_dbus_connection_set_exit_on_close(bus, 0);
  // GLib says on the standard error what it cannot do with one that is closed.
  int is_closed = lib->g_dbus_connection_is_closed(bus);
  lib->g_object_unref(bus);
  if (is_closed) return CLS_NO_BUS;
  *service = lib->secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, cancellable, &error);
  return *service ? CLS_DONE : judge(lib, error, cancellable, failure);
}

// The table does not own its strings, which live for as long as the call.
static void *attributes_of(const libsecret *lib, const char *service, const char *account) {
  void *attributes = lib->g_hash_table_new((void *)lib->g_str_hash, (void *)lib->g_str_equal);
  lib->g_hash_table_insert(attributes, (void *)"service", (void *)service);
  if (account) lib->g_hash_table_insert(attributes, (void *)"account", (void *)account);
  return attributes;
}

static void free_items(const libsecret *lib, g_list *items) {
  for (g_list *item = items; item; item = item->next) lib->g_object_unref(item->data);
  lib->g_list_free(items);
}

// Sees to it that the keyring is unlocked. Of one that is locked gnome-keyring finds nothing and says that all is well,
// which would look like a secret that is not there.
static cls_outcome open_keyring(
    const libsecret *lib, void *proxy, int prompts, int writes, void *cancellable, cls_failure *failure) {
  g_error *error = NULL;
  void *collection =
      lib->secret_collection_for_alias_sync(proxy, "default", SECRET_COLLECTION_NO_FLAGS, cancellable, &error);
  if (error) return judge(lib, error, cancellable, failure);
  // There is none yet. To make one asks the user for its password.
  if (!collection) return writes && !prompts ? CLS_NO_KEYRING : CLS_DONE;
  cls_outcome outcome = CLS_DONE;
  if (lib->secret_collection_get_locked(collection)) {
    outcome = CLS_LOCKED;
    if (prompts) {
      g_list wanted = {.data = collection};
      g_list *unlocked = NULL;
      int count = lib->secret_service_unlock_sync(proxy, &wanted, cancellable, &unlocked, &error);
      free_items(lib, unlocked);
      outcome = !error && count > 0 ? CLS_DONE : judge(lib, error, cancellable, failure);
    }
  }
  lib->g_object_unref(collection);
  return outcome;
}

// The service with its keyring open, to be given back by g_object_unref.
static cls_outcome connect_and_open(
    const libsecret *lib, int prompts, int writes, void *cancellable, void **proxy, cls_failure *failure) {
  cls_outcome outcome = connect(lib, cancellable, proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  outcome = open_keyring(lib, *proxy, prompts, writes, cancellable, failure);
  if (outcome != CLS_DONE) lib->g_object_unref(*proxy);
  return outcome;
}

static g_list *search(
    const libsecret *lib, void *service_proxy, const char *service, const char *account, int flags, void *cancellable,
    g_error **error) {
  void *attributes = attributes_of(lib, service, account);
  g_list *items = lib->secret_service_search_sync(service_proxy, &schema, attributes, flags, cancellable, error);
  lib->g_hash_table_unref(attributes);
  return items;
}

cls_outcome cls_service_connect(void *cancellable, cls_failure *failure) {
  const libsecret *lib = cls_libsecret();
  if (!lib) return CLS_NO_LIBRARY;
  void *proxy = NULL;
  cls_outcome outcome = connect(lib, cancellable, &proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  g_error *error = NULL;
  void *collection =
      lib->secret_collection_for_alias_sync(proxy, "default", SECRET_COLLECTION_NO_FLAGS, cancellable, &error);
  if (error) outcome = judge(lib, error, cancellable, failure);
  else if (!collection) outcome = CLS_NO_KEYRING;
  if (collection) lib->g_object_unref(collection);
  lib->g_object_unref(proxy);
  return outcome;
}

cls_outcome cls_service_lookup(
    const char *service, const char *account, int prompts, void *cancellable, void **bytes, size_t *count,
    cls_failure *failure) {
  const libsecret *lib = cls_libsecret();
  if (!lib) return CLS_NO_LIBRARY;
  *bytes = NULL;
  *count = 0;
  void *proxy = NULL;
  cls_outcome outcome = connect_and_open(lib, prompts, 0, cancellable, &proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  g_error *error = NULL;
  int flags = SECRET_SEARCH_LOAD_SECRETS | (prompts ? SECRET_SEARCH_UNLOCK : 0);
  g_list *items = search(lib, proxy, service, account, flags, cancellable, &error);
  if (error) {
    outcome = judge(lib, error, cancellable, failure);
  } else if (items) {
    void *item = items->data;
    void *value = lib->secret_item_get_secret(item);
    if (value) {
      size_t length = 0;
      const void *text = lib->secret_value_get(value, &length);
      *bytes = malloc(length + 1);
      if (*bytes) {
        memcpy(*bytes, text, length);
        *count = length;
      } else {
        outcome = CLS_FAILED;
      }
      lib->secret_value_unref(value);
    } else {
      outcome = lib->secret_item_get_locked(item) ? CLS_LOCKED : CLS_NO_SERVICE;
      if (outcome == CLS_NO_SERVICE) lib->secret_service_disconnect();
    }
  }
  free_items(lib, items);
  lib->g_object_unref(proxy);
  return outcome;
}

cls_outcome cls_service_store(
    const char *service, const char *account, const char *label, const void *bytes, size_t count, int prompts,
    void *cancellable, cls_failure *failure) {
  const libsecret *lib = cls_libsecret();
  if (!lib) return CLS_NO_LIBRARY;
  void *proxy = NULL;
  cls_outcome outcome = connect_and_open(lib, prompts, 1, cancellable, &proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  g_error *error = NULL;
  void *attributes = attributes_of(lib, service, account);
  void *value = lib->secret_value_new(bytes, (intptr_t)count, "application/octet-stream");
  int stored =
      lib->secret_service_store_sync(proxy, &schema, attributes, "default", label, value, cancellable, &error);
  if (!stored) outcome = judge(lib, error, cancellable, failure);
  lib->secret_value_unref(value);
  lib->g_hash_table_unref(attributes);
  lib->g_object_unref(proxy);
  return outcome;
}

cls_outcome cls_service_remove(
    const char *service, const char *account, int prompts, void *cancellable, cls_failure *failure) {
  const libsecret *lib = cls_libsecret();
  if (!lib) return CLS_NO_LIBRARY;
  void *proxy = NULL;
  cls_outcome outcome = connect_and_open(lib, prompts, 0, cancellable, &proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  g_error *error = NULL;
  int flags = SECRET_SEARCH_ALL | (prompts ? SECRET_SEARCH_UNLOCK : 0);
  g_list *items = search(lib, proxy, service, account, flags, cancellable, &error);
  if (error) outcome = judge(lib, error, cancellable, failure);
  // One by one: to clear by attributes passes over those that are locked, and says that all is well.
  for (g_list *item = items; item && outcome == CLS_DONE; item = item->next) {
    if (lib->secret_item_get_locked(item->data)) outcome = CLS_LOCKED;
    else if (!lib->secret_item_delete_sync(item->data, cancellable, &error))
      outcome = judge(lib, error, cancellable, failure);
  }
  free_items(lib, items);
  lib->g_object_unref(proxy);
  return outcome;
}

cls_outcome cls_service_accounts(
    const char *service, int prompts, void *cancellable, void (*found)(const char *account, void *context), void *context,
    cls_failure *failure) {
  const libsecret *lib = cls_libsecret();
  if (!lib) return CLS_NO_LIBRARY;
  void *proxy = NULL;
  cls_outcome outcome = connect_and_open(lib, prompts, 0, cancellable, &proxy, failure);
  if (outcome != CLS_DONE) return outcome;
  g_error *error = NULL;
  g_list *items = search(lib, proxy, service, NULL, SECRET_SEARCH_ALL, cancellable, &error);
  if (error) outcome = judge(lib, error, cancellable, failure);
  for (g_list *item = items; item; item = item->next) {
    void *attributes = lib->secret_item_get_attributes(item->data);
    if (!attributes) continue;
    const char *account = lib->g_hash_table_lookup(attributes, "account");
    if (account) found(account, context);
    lib->g_hash_table_unref(attributes);
  }
  free_items(lib, items);
  lib->g_object_unref(proxy);
  return outcome;
}

void cls_bytes_free(void *bytes, size_t count) {
  if (!bytes) return;
  OPENSSL_cleanse(bytes, count);
  free(bytes);
}

#endif
