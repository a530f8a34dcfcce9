// larder_values(?): the elements of a typed array as rows, so that one SQL text serves any number of values.
#include "CLarderSQLite.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// The type's name in sqlite3_bind_pointer: SQL text cannot forge such a pointer.
static const char values_type[] = "larder_values";

// MARK: - The array

larder_values *larder_values_create(int32_t kind, int64_t count, int64_t bytes, int with_nulls) {
  larder_values *values = calloc(1, sizeof(larder_values));
  if (values == NULL) return NULL;
  values->references = 1;
  values->kind = kind;
  values->count = count;
  size_t room = count > 0 ? (size_t)count : 1;
  int complete = 1;
  switch (kind) {
    case LARDER_VALUES_INT64: complete = (values->integers = calloc(room, sizeof(int64_t))) != NULL; break;
    case LARDER_VALUES_DOUBLE: complete = (values->doubles = calloc(room, sizeof(double))) != NULL; break;
    default:
      values->ends = calloc(room, sizeof(int64_t));
      // Never NULL, not even without a byte: an empty text must not become NULL.
      values->bytes = malloc(bytes > 0 ? (size_t)bytes : 1);
      complete = values->ends != NULL && values->bytes != NULL;
  }
  if (complete && with_nulls) complete = (values->nulls = calloc(room, 1)) != NULL;
  if (!complete) {
    larder_values_release(values);
    return NULL;
  }
  return values;
}

void larder_values_release(larder_values *values) {
  if (__atomic_sub_fetch(&values->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  free(values->nulls);
  free(values->integers);
  free(values->doubles);
  free(values->bytes);
  free(values->ends);
  free(values);
}

static void release_bound(void *values) { larder_values_release(values); }

int larder_bind_values(sqlite3_stmt *statement, int index, larder_values *values) {
  __atomic_add_fetch(&values->references, 1, __ATOMIC_RELAXED);
  // SQLite calls the destructor also when it refuses the binding.
  return sqlite3_bind_pointer(statement, index, values, values_type, release_bound);
}

// MARK: - The table

typedef struct values_cursor {
  sqlite3_vtab_cursor base;
  const larder_values *values;
  int64_t row;
} values_cursor;

enum { column_value = 0, column_source = 1 };

static int values_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **table, char **error) {
  (void)aux, (void)argc, (void)argv, (void)error;
  int code = sqlite3_declare_vtab(db, "CREATE TABLE larder_values(value, source HIDDEN)");
  if (code != SQLITE_OK) return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  *table = sqlite3_malloc(sizeof(sqlite3_vtab));
  if (*table == NULL) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(sqlite3_vtab));
  return SQLITE_OK;
}

static int values_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int values_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  int unusable = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != column_source || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) {
      unusable = 1;
      continue;
    }
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = 1;
    // The number of values is known only when the statement runs. A small guess favours the index of the column that
    // is compared with them over a scan of its table.
    info->estimatedCost = 25;
    info->estimatedRows = 25;
    if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn < 0 && !info->aOrderBy[0].desc) info->orderByConsumed = 1;
    return SQLITE_OK;
  }
  if (unusable) return SQLITE_CONSTRAINT;
  info->idxNum = 0;
  return SQLITE_OK;
}

static int values_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  values_cursor *made = sqlite3_malloc(sizeof(values_cursor));
  if (made == NULL) return SQLITE_NOMEM;
  memset(made, 0, sizeof(values_cursor));
  *cursor = &made->base;
  return SQLITE_OK;
}

static int values_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int values_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc, sqlite3_value **argv) {
  (void)name;
  values_cursor *cursor = (values_cursor *)base;
  cursor->row = 0;
  cursor->values = number == 1 && argc == 1 ? sqlite3_value_pointer(argv[0], values_type) : NULL;
  if (cursor->values == NULL) {
    // An empty answer would silently mean "nothing matches".
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("larder_values(?) needs an array bound to its parameter");
    return SQLITE_ERROR;
  }
  return SQLITE_OK;
}

static int values_next(sqlite3_vtab_cursor *base) {
  ((values_cursor *)base)->row++;
  return SQLITE_OK;
}

static int values_eof(sqlite3_vtab_cursor *base) {
  values_cursor *cursor = (values_cursor *)base;
  return cursor->row >= cursor->values->count;
}

static int values_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  values_cursor *cursor = (values_cursor *)base;
  const larder_values *values = cursor->values;
  int64_t row = cursor->row;
  if (column != column_value || (values->nulls != NULL && values->nulls[row])) {
    sqlite3_result_null(context);
    return SQLITE_OK;
  }
  if (values->kind == LARDER_VALUES_INT64) {
    sqlite3_result_int64(context, values->integers[row]);
  } else if (values->kind == LARDER_VALUES_DOUBLE) {
    sqlite3_result_double(context, values->doubles[row]);
  } else {
    int64_t start = row == 0 ? 0 : values->ends[row - 1];
    uint64_t length = (uint64_t)(values->ends[row] - start);
    // SQLITE_STATIC: the binding keeps the array for as long as the statement can run.
    if (values->kind == LARDER_VALUES_TEXT) {
      sqlite3_result_text64(context, (const char *)values->bytes + start, length, SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_result_blob64(context, values->bytes + start, length, SQLITE_STATIC);
    }
  }
  return SQLITE_OK;
}

static int values_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((values_cursor *)base)->row + 1;
  return SQLITE_OK;
}

static const sqlite3_module values_module = {
  // No xCreate: the table exists in every connection by its name, and nobody can create another.
  .iVersion = 0,
  .xConnect = values_connect,
  .xBestIndex = values_best_index,
  .xDisconnect = values_disconnect,
  .xOpen = values_open,
  .xClose = values_close,
  .xFilter = values_filter,
  .xNext = values_next,
  .xEof = values_eof,
  .xColumn = values_column,
  .xRowid = values_rowid,
};

int larder_register_values(sqlite3 *db) { return sqlite3_create_module_v2(db, "larder_values", &values_module, NULL, NULL); }
