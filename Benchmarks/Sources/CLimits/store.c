#include "store.h"
#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_SQL 4096

static char *message(const char *what, sqlite3 *connection) {
  const char *why = connection ? sqlite3_errmsg(connection) : "out of memory";
  size_t size = strlen(what) + strlen(why) + 3;
  char *text = malloc(size);
  if (text) snprintf(text, size, "%s: %s", what, why);
  return text;
}

char *limit_copy_store(const char *from, const char *to) {
  sqlite3 *source = NULL, *target = NULL;
  sqlite3_backup *backup = NULL;
  char *error = NULL;
  if (sqlite3_open_v2(from, &source, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    error = message(from, source);
  else if (sqlite3_open_v2(to, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
    error = message(to, target);
  else if (!(backup = sqlite3_backup_init(target, "main", source, "main")))
    error = message(to, target);
  else {
    sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK) error = message(to, target);
  }
  sqlite3_close(source);
  sqlite3_close(target);
  return error;
}

// MARK: - The statements, from the table as it is

// A column of the library's own (a row's version) that has to be given a value is given 1, and raised by an upsert.
typedef struct {
  char names[LONGEST_SQL];
  char values[LONGEST_SQL];
  char raised[LONGEST_SQL];
} own_columns;

static bool is_attribute(const limit_columns *c, const char *name) {
  const char *const attributes[] = {c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (strcmp(attributes[i], name) == 0) return true;
  return false;
}

static int find_own_columns(sqlite3 *connection, const limit_columns *columns, own_columns *own) {
  memset(own, 0, sizeof *own);
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(connection, "SELECT name, type, pk FROM pragma_table_info(?)", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_text(statement, 1, columns->table, -1, SQLITE_STATIC);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    const char *type = (const char *)sqlite3_column_text(statement, 1);
    if (sqlite3_column_int(statement, 2) > 0 || is_attribute(columns, name) || strcmp(type, "INTEGER") != 0) continue;
    size_t used = strlen(own->names);
    snprintf(own->names + used, LONGEST_SQL - used, ", \"%s\"", name);
    used = strlen(own->values);
    snprintf(own->values + used, LONGEST_SQL - used, ", 1");
    used = strlen(own->raised);
    snprintf(own->raised + used, LONGEST_SQL - used, ", \"%s\" = \"%s\" + 1", name, name);
  }
  sqlite3_finalize(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int primary_key(sqlite3 *connection, const char *table, char *name, size_t size) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(connection, "SELECT name FROM pragma_table_info(?) WHERE pk = 1", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
  code = sqlite3_step(statement);
  if (code == SQLITE_ROW) snprintf(name, size, "\"%s\"", (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return code == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
}

static int prepare(sqlite3 *connection, const char *sql, sqlite3_stmt **statement) {
  return sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

static int prepare_all(limit_store *store, const limit_columns *c) {
  char sql[LONGEST_SQL * 4], key[256];
  own_columns *own = malloc(sizeof *own);
  if (!own) return SQLITE_NOMEM;
  int code = find_own_columns(store->writer, c, own);
  if (!code) code = primary_key(store->writer, c->table, key, sizeof key);

  char insert[LONGEST_SQL * 3];
  snprintf(insert, sizeof insert,
           "INSERT INTO \"%s\" (\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\"%s) VALUES (?, ?, ?, ?, ?, ?%s)", c->table,
           c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude, own->names, own->values);
  if (!code) code = prepare(store->writer, insert, &store->insert);
  snprintf(sql, sizeof sql,
           "%s ON CONFLICT (\"%s\") DO UPDATE SET \"%s\" = excluded.\"%s\", \"%s\" = excluded.\"%s\", \"%s\" = "
           "excluded.\"%s\", \"%s\" = excluded.\"%s\", \"%s\" = excluded.\"%s\"%s",
           insert, c->code, c->magnitude, c->magnitude, c->time, c->time, c->place, c->place, c->longitude,
           c->longitude, c->latitude, c->latitude, own->raised);
  if (!code) code = prepare(store->writer, sql, &store->upsert);
  free(own);

  int end = snprintf(sql, sizeof sql, "SELECT %s, \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\" FROM \"%s\"", key,
                     c->code, c->magnitude, c->time, c->place, c->longitude, c->latitude, c->table);
  if (!code) code = prepare(store->reader, sql, &store->all);
  snprintf(sql + end, sizeof sql - (size_t)end, " WHERE \"%s\" = ?", c->code);
  if (!code) code = prepare(store->reader, sql, &store->by_code);

  if (!code) code = prepare(store->writer, "BEGIN IMMEDIATE", &store->begin_write);
  if (!code) code = prepare(store->writer, "COMMIT", &store->commit_write);
  if (!code) code = prepare(store->reader, "BEGIN", &store->begin_read);
  if (!code) code = prepare(store->reader, "COMMIT", &store->commit_read);
  return code;
}

static int connect(const char *path, const limit_settings *settings, sqlite3 **connection) {
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
  if (connect(path, writer, &store->writer) != SQLITE_OK) refusing = store->writer;
  else if (connect(path, reader, &store->reader) != SQLITE_OK) refusing = store->reader;
  else if (prepare_all(store, columns) != SQLITE_OK) {
    what = columns->table;
    refusing = sqlite3_errcode(store->writer) ? store->writer : store->reader;
  } else return store;
  *error = message(what, refusing);
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

const char *limit_message(limit_store *store) { return store->refused ? store->refused : "no error"; }
