// A store as the limit has it open. For this target only.
#pragma once
#include "CLimits.h"
#include "steps.h"
#include <sqlite3.h>

struct limit_store {
  sqlite3 *writer, *reader;
  sqlite3_stmt *begin_write, *commit_write, *begin_read, *commit_read;
  sqlite3_stmt *insert, *upsert, *all, *by_code;
  char refused[REFUSED_SIZE];  // what SQLite said when it last refused a step
};

// What opening any store needs.
char *failure_message(const char *what, sqlite3 *connection);
int prepare(sqlite3 *connection, const char *sql, sqlite3_stmt **statement);
int connect_to(const char *path, const limit_settings *settings, sqlite3 **connection);
