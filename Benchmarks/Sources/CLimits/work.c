#include "steps.h"
#include "store.h"
#include "text.h"
#include <stdlib.h>

// MARK: - Writing

static bool write_records(limit_store *store, sqlite3_stmt *s, const limit_record *records, int32_t count) {
  if (!once(store->refused, store->begin_write)) return false;
  for (int32_t i = 0; i < count; i++) {
    const limit_record *r = &records[i];
    sqlite3_bind_text(s, 1, r->code, r->code_length, SQLITE_STATIC);
    sqlite3_bind_double(s, 2, r->magnitude);
    sqlite3_bind_double(s, 3, r->time);
    sqlite3_bind_text(s, 4, r->place, r->place_length, SQLITE_STATIC);
    sqlite3_bind_double(s, 5, r->longitude);
    sqlite3_bind_double(s, 6, r->latitude);
    if (sqlite3_step(s) != SQLITE_DONE) return refuse(store->refused, s);
    sqlite3_reset(s);
  }
  return once(store->refused, store->commit_write);
}

bool limit_insert(limit_store *store, const limit_record *records, int32_t count) {
  return write_records(store, store->insert, records, count);
}

bool limit_upsert(limit_store *store, const limit_record *records, int32_t count) {
  return write_records(store, store->upsert, records, count);
}

// MARK: - Reading

typedef struct {
  int64_t id;
  text code;
  double magnitude, time;
  text place;
  double longitude, latitude;
} row;

static void copy_row(sqlite3_stmt *s, row *r) {
  r->id = sqlite3_column_int64(s, 0);
  copy_text(s, 1, &r->code);
  r->magnitude = sqlite3_column_double(s, 2);
  r->time = sqlite3_column_double(s, 3);
  copy_text(s, 4, &r->place);
  r->longitude = sqlite3_column_double(s, 5);
  r->latitude = sqlite3_column_double(s, 6);
}

static void free_row(row *r) {
  free_text(&r->code);
  free_text(&r->place);
}

bool limit_fetch(limit_store *store, void **out, int32_t *out_count, double *sum) {
  row *rows = NULL;
  int32_t count = 0, capacity = 0;
  int code;
  while ((code = sqlite3_step(store->all)) == SQLITE_ROW) {
    if (count == capacity) {
      capacity = capacity ? capacity * 2 : 1;
      rows = realloc(rows, (size_t)capacity * sizeof *rows);
      if (!rows) abort();
    }
    copy_row(store->all, &rows[count++]);
  }
  if (code != SQLITE_DONE) refuse(store->refused, store->all);
  sqlite3_reset(store->all);
  double total = 0;
  for (int32_t i = 0; i < count; i++) {
    const row *r = &rows[i];
    total += (double)r->code.length + r->magnitude + r->time + (double)r->place.length + r->longitude + r->latitude;
  }
  *out = rows;
  *out_count = count;
  *sum = total;
  return code == SQLITE_DONE;
}

void limit_free(void *rows, int32_t count) {
  for (int32_t i = 0; i < count; i++) free_row((row *)rows + i);
  free(rows);
}

bool limit_look_up(limit_store *store, const limit_record *records, const int32_t *order, int32_t count,
                   bool one_transaction, double *sum) {
  if (one_transaction && !once(store->refused, store->begin_read)) return false;
  double total = 0;
  for (int32_t i = 0; i < count; i++) {
    const limit_record *wanted = &records[order[i]];
    sqlite3_bind_text(store->by_code, 1, wanted->code, wanted->code_length, SQLITE_STATIC);
    if (sqlite3_step(store->by_code) != SQLITE_ROW) return refuse(store->refused, store->by_code);
    row found;
    copy_row(store->by_code, &found);
    total += found.magnitude;
    free_row(&found);
    sqlite3_reset(store->by_code);
  }
  *sum = total;
  return !one_transaction || once(store->refused, store->commit_read);
}
