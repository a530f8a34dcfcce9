#include "store.h"
#include "settings.h"
#include <stdlib.h>
#include <string.h>

char *failure_message(const char *what, sqlite3 *connection) {
  const char *why = connection ? sqlite3_errmsg(connection) : "out of memory";
  size_t size = strlen(what) + strlen(why) + 3;
  char *text = malloc(size);
  if (text) sqlite3_snprintf((int)size, text, "%s: %s", what, why);
  return text;
}

char *limit_copy_store(const char *from, const char *to) {
  sqlite3 *source = NULL, *target = NULL;
  sqlite3_backup *backup = NULL;
  char *error = NULL;
  if (sqlite3_open_v2(from, &source, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    error = failure_message(from, source);
  else if (sqlite3_open_v2(to, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
    error = failure_message(to, target);
  else if (!(backup = sqlite3_backup_init(target, "main", source, "main")))
    error = failure_message(to, target);
  else {
    sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK) error = failure_message(to, target);
  }
  sqlite3_close(source);
  sqlite3_close(target);
  return error;
}

// MARK: - The statements, from the table as it is

int prepare(sqlite3 *connection, const char *sql, sqlite3_stmt **statement) {
  if (!sql) return SQLITE_NOMEM;
  return sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

static bool is_attribute(const limit_columns *c, const char *name) {
  const char *const attributes[] = {c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (strcmp(attributes[i], name) == 0) return true;
  return false;
}

// The library's own columns (a row's version) are given 1, and an upsert raises them, as the library does.
typedef struct {
  char *key;
  sqlite3_str *names, *values, *raised;
} own_columns;

static int find_own_columns(sqlite3 *connection, const limit_columns *columns, own_columns *own) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(connection, "SELECT name, type, pk FROM pragma_table_info(?)", &statement);
  if (code) return code;
  sqlite3_bind_text(statement, 1, columns->table, -1, SQLITE_STATIC);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    const char *type = (const char *)sqlite3_column_text(statement, 1);
    if (sqlite3_column_int(statement, 2) > 0) {
      sqlite3_free(own->key);
      own->key = sqlite3_mprintf("\"%w\"", name);
    } else if (!is_attribute(columns, name) && strcmp(type, "INTEGER") == 0) {
      sqlite3_str_appendf(own->names, ", \"%w\"", name);
      sqlite3_str_appendall(own->values, ", 1");
      sqlite3_str_appendf(own->raised, ", \"%w\" = \"%w\" + 1", name, name);
    }
  }
  sqlite3_finalize(statement);
  return code != SQLITE_DONE ? code : own->key ? SQLITE_OK : SQLITE_ERROR;
}

static const char *or_nothing(sqlite3_str *text) {
  const char *value = sqlite3_str_value(text);
  return value ? value : "";
}

static int prepare_writes(limit_store *store, const limit_columns *c, const own_columns *own) {
  char *insert = sqlite3_mprintf(
      "INSERT INTO \"%w\" (\"%w\", \"%w\", \"%w\", \"%w\", \"%w\", \"%w\"%s) VALUES (?, ?, ?, ?, ?, ?%s)", c->table,
      c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude, or_nothing(own->names),
      or_nothing(own->values));
  sqlite3_str *upsert = sqlite3_str_new(store->writer);
  sqlite3_str_appendf(upsert, "%s ON CONFLICT (\"%w\") DO UPDATE SET \"%w\" = excluded.\"%w\"", insert, c->code,
                      c->magnitude, c->magnitude);
  const char *const others[] = {c->time, c->place, c->longitude, c->latitude};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    sqlite3_str_appendf(upsert, ", \"%w\" = excluded.\"%w\"", others[i], others[i]);
  sqlite3_str_appendall(upsert, or_nothing(own->raised));
  char *text = sqlite3_str_finish(upsert);

  int code = prepare(store->writer, insert, &store->insert);
  if (!code) code = prepare(store->writer, text, &store->upsert);
  if (!code) code = prepare(store->writer, "BEGIN IMMEDIATE", &store->begin_write);
  if (!code) code = prepare(store->writer, "COMMIT", &store->commit_write);
  sqlite3_free(insert);
  sqlite3_free(text);
  return code;
}

static int prepare_reads(limit_store *store, const limit_columns *c, const own_columns *own) {
  char *all = sqlite3_mprintf("SELECT %s, \"%w\", \"%w\", \"%w\", \"%w\", \"%w\", \"%w\" FROM \"%w\"", own->key,
                              c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude, c->table);
  char *by_code = sqlite3_mprintf("%s WHERE \"%w\" = ?", all, c->code);
  int code = prepare(store->reader, all, &store->all);
  if (!code) code = prepare(store->reader, by_code, &store->by_code);
  if (!code) code = prepare(store->reader, "BEGIN", &store->begin_read);
  if (!code) code = prepare(store->reader, "COMMIT", &store->commit_read);
  sqlite3_free(all);
  sqlite3_free(by_code);
  return code;
}

static int prepare_all(limit_store *store, const limit_columns *c) {
  own_columns own = {
      .names = sqlite3_str_new(NULL), .values = sqlite3_str_new(NULL), .raised = sqlite3_str_new(NULL)};
  int code = find_own_columns(store->writer, c, &own);
  if (!code) code = prepare_writes(store, c, &own);
  if (!code) code = prepare_reads(store, c, &own);
  sqlite3_free(own.key);
  sqlite3_free(sqlite3_str_finish(own.names));
  sqlite3_free(sqlite3_str_finish(own.values));
  sqlite3_free(sqlite3_str_finish(own.raised));
  return code;
}

int connect_to(const char *path, const limit_settings *settings, sqlite3 **connection) {
  int mutex = is_serialized(settings) ? SQLITE_OPEN_FULLMUTEX : SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(path, connection, SQLITE_OPEN_READWRITE | mutex, NULL);
  return code ? code : apply_settings(*connection, settings);
}

limit_store *limit_open(const char *path, const limit_columns *columns, const limit_settings *writer,
                        const limit_settings *reader, char **error) {
  limit_store *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  const char *what = path;
  sqlite3 *refusing = NULL;
  if (connect_to(path, writer, &store->writer) != SQLITE_OK) refusing = store->writer;
  else if (connect_to(path, reader, &store->reader) != SQLITE_OK) refusing = store->reader;
  else if (prepare_all(store, columns) != SQLITE_OK) {
    what = columns->table;
    refusing = sqlite3_errcode(store->writer) ? store->writer : store->reader;
  } else return store;
  *error = failure_message(what, refusing);
  limit_close(store);
  return NULL;
}

void limit_close(limit_store *store) {
  sqlite3_stmt *const statements[] = {store->begin_write, store->commit_write, store->begin_read, store->commit_read,
                                      store->insert,      store->upsert,       store->all,        store->by_code};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) sqlite3_finalize(statements[i]);
  sqlite3_close(store->reader);
  sqlite3_close(store->writer);
  free(store);
}

void limit_settings_of_store(limit_store *store, limit_settings *writer, limit_settings *reader) {
  read_settings(store->writer, writer);
  read_settings(store->reader, reader);
}

const char *limit_sql(limit_store *store, int32_t which) {
  sqlite3_stmt *const statements[] = {store->insert, store->upsert, store->all, store->by_code};
  if (which < 0 || which >= (int32_t)(sizeof statements / sizeof *statements)) return NULL;
  return sqlite3_sql(statements[which]);
}

const char *limit_message(limit_store *store) { return store->refused; }
