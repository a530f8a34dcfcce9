#include "CLimits.h"
#include "settings.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Beyond this many connections none is noted; a container has a handful.
#define MOST_CONNECTIONS 256

static struct {
  pthread_mutex_t mutex;
  sqlite3 *open[MOST_CONNECTIONS];
  int count;
} watched = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// A connection takes its notes with it: SQLite destroys its functions when it closes, and that call strikes it out.
static void forget(void *connection) {
  pthread_mutex_lock(&watched.mutex);
  for (int i = 0; i < watched.count; i++)
    if (watched.open[i] == connection) watched.open[i--] = watched.open[--watched.count];
  pthread_mutex_unlock(&watched.mutex);
}

static void nothing(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  sqlite3_result_null(context);
}

static int note(sqlite3 *connection, char **error, const struct sqlite3_api_routines *api) {
  (void)error, (void)api;
  pthread_mutex_lock(&watched.mutex);
  bool room = watched.count < MOST_CONNECTIONS;
  if (room) watched.open[watched.count++] = connection;
  pthread_mutex_unlock(&watched.mutex);
  if (!room) return SQLITE_OK;
  return sqlite3_create_function_v2(connection, "benchmark_watches", 0, SQLITE_UTF8, connection, nothing, NULL, NULL,
                                    forget);
}

void limit_watch_connections(void) { sqlite3_auto_extension((void (*)(void))note); }

// Those that can matter to speed or durability, in an order in which they can also be set.
static const char *const pragmas[] = {
    "page_size",   "journal_mode",       "synchronous", "cache_size",     "mmap_size",
    "temp_store",  "wal_autocheckpoint", "cache_spill", "cell_size_check", "trusted_schema",
    "foreign_keys", "journal_size_limit", "secure_delete", "locking_mode", "threads",
};
#define PRAGMA_COUNT (sizeof pragmas / sizeof *pragmas)
_Static_assert(PRAGMA_COUNT + 2 == LIMIT_SETTING_COUNT, "the header says how many settings there are");

// The two that are no pragma.
static const char defensive[] = "defensive";
static const char serialized[] = "serialized";

static void read_pragma(sqlite3 *connection, const char *name, char *value, size_t size) {
  char sql[64];
  snprintf(sql, sizeof sql, "PRAGMA %s", name);
  sqlite3_stmt *statement = NULL;
  snprintf(value, size, "?");
  if (sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    snprintf(value, size, "%s", (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
}

void read_settings(sqlite3 *connection, limit_settings *out) {
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < PRAGMA_COUNT; i++) {
    limit_setting *setting = &out->settings[out->count++];
    setting->name = pragmas[i];
    read_pragma(connection, pragmas[i], setting->value, sizeof setting->value);
  }
  int on = 0;
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, -1, &on);
  limit_setting *setting = &out->settings[out->count++];
  setting->name = defensive;
  snprintf(setting->value, sizeof setting->value, "%d", on);
  setting = &out->settings[out->count++];
  setting->name = serialized;
  snprintf(setting->value, sizeof setting->value, "%d", sqlite3_db_mutex(connection) != NULL);

  char query_only[64];
  read_pragma(connection, "query_only", query_only, sizeof query_only);
  out->reads_only = sqlite3_db_readonly(connection, "main") == 1 || strcmp(query_only, "1") == 0;
}

int apply_settings(sqlite3 *connection, const limit_settings *settings) {
  for (int i = 0; i < settings->count; i++) {
    const limit_setting *setting = &settings->settings[i];
    if (setting->name == serialized) continue;  // decided when the connection is opened
    if (setting->name == defensive) {
      sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, atoi(setting->value), NULL);
      continue;
    }
    // 0: the library checkpoints by a hook of its own, which displaces SQLite's. The limit keeps SQLite's, at its 1,000
    // pages, which is where the library's does the same; without one it would be spared the work.
    if (strcmp(setting->name, "wal_autocheckpoint") == 0 && strcmp(setting->value, "0") == 0) continue;
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA %s = %s", setting->name, setting->value);
    int code = sqlite3_exec(connection, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

bool is_serialized(const limit_settings *settings) {
  for (int i = 0; i < settings->count; i++)
    if (settings->settings[i].name == serialized) return strcmp(settings->settings[i].value, "1") == 0;
  return false;
}

int32_t limit_settings_of_file(const char *path, limit_settings *out, int32_t capacity) {
  int32_t found = 0;
  pthread_mutex_lock(&watched.mutex);
  for (int i = 0; i < watched.count && found < capacity; i++) {
    const char *name = sqlite3_db_filename(watched.open[i], "main");
    if (name && strcmp(name, path) == 0) read_settings(watched.open[i], &out[found++]);
  }
  pthread_mutex_unlock(&watched.mutex);
  return found;
}
