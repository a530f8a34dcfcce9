#pragma once

// As much of GLib's and libsecret's interface as is called, declared here: neither is needed to build.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} g_error;

typedef struct g_list {
  void *data;
  struct g_list *next, *previous;
} g_list;

/// SecretSchema, whose layout is part of libsecret's ABI.
typedef struct {
  const char *name;
  int flags;
  struct {
    const char *name;
    int type;
  } attributes[32];
  int reserved;
  void *reserved_pointers[7];
} secret_schema;

enum { G_BUS_SESSION = 2 };
enum { SECRET_SERVICE_OPEN_SESSION = 1 << 1 };
enum { SECRET_COLLECTION_NO_FLAGS = 0 };
enum { SECRET_SEARCH_ALL = 1 << 1, SECRET_SEARCH_UNLOCK = 1 << 2, SECRET_SEARCH_LOAD_SECRETS = 1 << 3 };
// GIOErrorEnum, GDBusError and SecretError, whose numbers are part of their ABI.
enum { G_IO_CANCELLED = 19, G_IO_TIMED_OUT = 24, G_IO_CLOSED = 18 };
enum {
  G_DBUS_SERVICE_UNKNOWN = 2,
  G_DBUS_NAME_HAS_NO_OWNER = 3,
  G_DBUS_NO_REPLY = 4,
  G_DBUS_TIMEOUT = 12,
  G_DBUS_DISCONNECTED = 15,
  G_DBUS_TIMED_OUT = 20,
  G_DBUS_SPAWN_FIRST = 23,
  G_DBUS_SPAWN_LAST = 32,
};
enum { SECRET_IS_LOCKED = 2 };

#define LIBSECRET_FUNCTIONS(F) \
  F(void, g_error_free, (g_error *)) \
  F(const char *, g_quark_to_string, (uint32_t)) \
  F(void, g_object_unref, (void *)) \
  F(void *, g_cancellable_new, (void)) \
  F(void, g_cancellable_cancel, (void *)) \
  F(int, g_cancellable_is_cancelled, (void *)) \
  F(void *, g_bus_get_sync, (int, void *, g_error **)) \
  F(void, g_dbus_connection_set_exit_on_close, (void *, int)) \
  F(int, g_dbus_connection_is_closed, (void *)) \
  F(void *, g_hash_table_new, (void *, void *)) \
  F(int, g_hash_table_insert, (void *, void *, void *)) \
  F(void *, g_hash_table_lookup, (void *, const void *)) \
  F(void, g_hash_table_unref, (void *)) \
  F(unsigned, g_str_hash, (const void *)) \
  F(int, g_str_equal, (const void *, const void *)) \
  F(void, g_list_free, (g_list *)) \
  F(void *, secret_service_get_sync, (int, void *, g_error **)) \
  F(void, secret_service_disconnect, (void)) \
  F(int, secret_service_store_sync, \
    (void *, const secret_schema *, void *, const char *, const char *, void *, void *, g_error **)) \
  F(g_list *, secret_service_search_sync, (void *, const secret_schema *, void *, int, void *, g_error **)) \
  F(int, secret_service_unlock_sync, (void *, g_list *, void *, g_list **, g_error **)) \
  F(void *, secret_collection_for_alias_sync, (void *, const char *, int, void *, g_error **)) \
  F(int, secret_collection_get_locked, (void *)) \
  F(int, secret_item_get_locked, (void *)) \
  F(void *, secret_item_get_secret, (void *)) \
  F(void *, secret_item_get_attributes, (void *)) \
  F(int, secret_item_delete_sync, (void *, void *, g_error **)) \
  F(void *, secret_value_new, (const void *, intptr_t, const char *)) \
  F(const void *, secret_value_get, (void *, size_t *)) \
  F(void, secret_value_unref, (void *))

#define DECLARE(result, name, parameters) result(*name) parameters;
typedef struct {
  LIBSECRET_FUNCTIONS(DECLARE)
} libsecret;
#undef DECLARE

/// The library, loaded once; NULL where there is none, or an older one.
const libsecret *cls_libsecret(void);
