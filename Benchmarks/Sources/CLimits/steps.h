// Steps of statements, and what SQLite said where it refused one. For this target only.
#pragma once
#include <sqlite3.h>
#include <stdbool.h>

#define REFUSED_SIZE 256

static inline bool refuse(char refused[REFUSED_SIZE], sqlite3_stmt *statement) {
  sqlite3_snprintf(REFUSED_SIZE, refused, "%s", sqlite3_errmsg(sqlite3_db_handle(statement)));
  sqlite3_reset(statement);
  return false;
}

static inline bool once(char refused[REFUSED_SIZE], sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) return refuse(refused, statement);
  sqlite3_reset(statement);
  return true;
}
