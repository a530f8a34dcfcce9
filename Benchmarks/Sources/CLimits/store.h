// A store as the limit has it open. For this target only.
#pragma once
#include "CLimits.h"
#include <sqlite3.h>

struct limit_store {
  sqlite3 *writer, *reader;
  sqlite3_stmt *begin_write, *commit_write, *begin_read, *commit_read;
  sqlite3_stmt *insert, *upsert, *all, *by_code;
  char refused[256];  // what SQLite said when it last refused a step
};
