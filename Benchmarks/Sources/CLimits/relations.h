// A store with a relationship, as the limit has it open. For this target only.
#pragma once
#include "CLimits.h"
#include "steps.h"
#include <sqlite3.h>

struct limit_relations {
  sqlite3 *writer, *reader;
  sqlite3_stmt *begin, *commit, *insert_region, *insert_tremor, *delete_tremors, *delete_region;
  sqlite3_stmt *regions, *tremors, *tremors_by_name, *regions_by_magnitude;
  char refused[REFUSED_SIZE];  // what SQLite said when it last refused a step
};
