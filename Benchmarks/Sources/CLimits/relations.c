#include "relations.h"
#include "store.h"
#include <stdlib.h>
#include <string.h>

// The tables are those that the library makes of the benchmark's models; were they made otherwise, preparing says so.
#define REGION_COLUMNS "r.larder_id, r.larder_version, r.name, r.place"
#define TREMOR_COLUMNS "t.larder_id, t.larder_version, t.code, t.magnitude, t.time, t.region"

typedef struct {
  sqlite3_stmt **statement;
  bool writes;
  const char *sql;
} planned;

static void plan(limit_relations *store, planned plans[LIMIT_RELATION_STATEMENTS]) {
  const planned all[LIMIT_RELATION_STATEMENTS] = {
      {&store->begin, true, "BEGIN IMMEDIATE"},
      {&store->commit, true, "COMMIT"},
      {&store->insert_region, true, "INSERT INTO Region (larder_version, name, place) VALUES (1, ?, ?)"},
      {&store->insert_tremor, true,
       "INSERT INTO Tremor (larder_version, code, magnitude, time, region, larder_region_order) "
       "VALUES (1, ?, ?, ?, ?, ?)"},
      {&store->delete_tremors, true, "DELETE FROM Tremor WHERE region = ?"},
      {&store->delete_region, true, "DELETE FROM Region WHERE larder_id = ?"},
      {&store->regions, false, "SELECT " REGION_COLUMNS " FROM Region r"},
      {&store->tremors, false, "SELECT " TREMOR_COLUMNS " FROM Tremor t ORDER BY t.region, t.larder_region_order"},
      {&store->tremors_by_name, false,
       "SELECT " TREMOR_COLUMNS " FROM Region r JOIN Tremor t ON t.region = r.larder_id WHERE r.name = ?"},
      {&store->regions_by_magnitude, false,
       "SELECT " REGION_COLUMNS " FROM Region r WHERE r.larder_id IN "
       "(SELECT t.region FROM Tremor t WHERE t.magnitude > ?)"},
  };
  memcpy(plans, all, sizeof all);
}

limit_relations *limit_relations_open(const char *path, const limit_settings *writer, const limit_settings *reader,
                                      char **error) {
  limit_relations *store = calloc(1, sizeof *store);
  if (!store) return NULL;
  sqlite3 *refusing = NULL;
  if (connect_to(path, writer, &store->writer) != SQLITE_OK) refusing = store->writer;
  else if (connect_to(path, reader, &store->reader) != SQLITE_OK) refusing = store->reader;
  planned plans[LIMIT_RELATION_STATEMENTS];
  plan(store, plans);
  for (size_t i = 0; !refusing && i < LIMIT_RELATION_STATEMENTS; i++) {
    sqlite3 *connection = plans[i].writes ? store->writer : store->reader;
    if (prepare(connection, plans[i].sql, plans[i].statement) != SQLITE_OK) refusing = connection;
  }
  if (!refusing) return store;
  *error = failure_message(path, refusing);
  limit_relations_close(store);
  return NULL;
}

void limit_relations_close(limit_relations *store) {
  planned plans[LIMIT_RELATION_STATEMENTS];
  plan(store, plans);
  for (size_t i = 0; i < LIMIT_RELATION_STATEMENTS; i++) sqlite3_finalize(*plans[i].statement);
  sqlite3_close(store->reader);
  sqlite3_close(store->writer);
  free(store);
}

const char *limit_relations_sql(limit_relations *store, int32_t which) {
  planned plans[LIMIT_RELATION_STATEMENTS];
  plan(store, plans);
  return which >= 0 && which < LIMIT_RELATION_STATEMENTS ? plans[which].sql : NULL;
}

const char *limit_relations_message(limit_relations *store) { return store->refused; }
