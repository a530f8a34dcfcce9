#include "relations.h"
#include "text.h"
#include <stdlib.h>

// MARK: - Writing

// As the library spaces them, so that the numbers take as many bytes.
#define ORDER_STEP 65536

bool limit_relations_insert(limit_relations *store, const limit_record *records, int32_t regions, int32_t tremors) {
  if (!once(store->refused, store->begin)) return false;
  for (int32_t i = 0; i < regions; i++) {
    const limit_record *first = &records[i * tremors];
    sqlite3_stmt *s = store->insert_region;
    sqlite3_bind_text(s, 1, first->code, first->code_length, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, first->place, first->place_length, SQLITE_STATIC);
    if (!once(store->refused, s)) return false;
    sqlite3_int64 region = sqlite3_last_insert_rowid(store->writer);
    s = store->insert_tremor;
    for (int32_t j = 0; j < tremors; j++) {
      const limit_record *r = first + j;
      sqlite3_bind_text(s, 1, r->code, r->code_length, SQLITE_STATIC);
      sqlite3_bind_double(s, 2, r->magnitude);
      sqlite3_bind_double(s, 3, r->time);
      sqlite3_bind_int64(s, 4, region);
      sqlite3_bind_int64(s, 5, (sqlite3_int64)(j + 1) * ORDER_STEP);
      if (!once(store->refused, s)) return false;
    }
  }
  return once(store->refused, store->commit);
}

bool limit_relations_delete(limit_relations *store, const int64_t *regions, int32_t count) {
  if (!once(store->refused, store->begin)) return false;
  for (int32_t i = 0; i < count; i++) {
    sqlite3_bind_int64(store->delete_tremors, 1, regions[i]);
    if (!once(store->refused, store->delete_tremors)) return false;
    sqlite3_bind_int64(store->delete_region, 1, regions[i]);
    if (!once(store->refused, store->delete_region)) return false;
  }
  return once(store->refused, store->commit);
}

// MARK: - Reading

typedef struct {
  int64_t id, version;
  text code;
  double magnitude, time;
  int64_t region;
} tremor;

typedef struct {
  int64_t id, version;
  text name, place;
  tremor *tremors;
  int32_t count, capacity;
} region;

typedef struct {
  region *regions;
  int32_t count, capacity;
} region_list;

static void *grown(void *items, int32_t count, int32_t *capacity, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity ? *capacity * 2 : 4;
  items = realloc(items, (size_t)*capacity * size);
  if (!items) abort();
  return items;
}

static tremor read_tremor(sqlite3_stmt *s) {
  tremor t = {.id = sqlite3_column_int64(s, 0), .version = sqlite3_column_int64(s, 1)};
  copy_text(s, 2, &t.code);
  t.magnitude = sqlite3_column_double(s, 3);
  t.time = sqlite3_column_double(s, 4);
  t.region = sqlite3_column_int64(s, 5);
  return t;
}

static bool read_regions(limit_relations *store, sqlite3_stmt *s, region_list *list) {
  int code;
  while ((code = sqlite3_step(s)) == SQLITE_ROW) {
    list->regions = grown(list->regions, list->count, &list->capacity, sizeof *list->regions);
    region *r = &list->regions[list->count++];
    *r = (region){.id = sqlite3_column_int64(s, 0), .version = sqlite3_column_int64(s, 1)};
    copy_text(s, 2, &r->name);
    copy_text(s, 3, &r->place);
  }
  if (code != SQLITE_DONE) return refuse(store->refused, s);
  sqlite3_reset(s);
  return true;
}

static void add_tremor(region *r, sqlite3_stmt *s) {
  r->tremors = grown(r->tremors, r->count, &r->capacity, sizeof *r->tremors);
  r->tremors[r->count++] = read_tremor(s);
}

// Both lists are in the order of the regions' identifiers: they are merged.
static bool read_all_tremors(limit_relations *store, region_list *list) {
  sqlite3_stmt *s = store->tremors;
  int32_t place = 0;
  int code;
  while ((code = sqlite3_step(s)) == SQLITE_ROW) {
    sqlite3_int64 id = sqlite3_column_int64(s, 5);
    while (place < list->count && list->regions[place].id < id) place++;
    if (place < list->count && list->regions[place].id == id) add_tremor(&list->regions[place], s);
  }
  if (code != SQLITE_DONE) return refuse(store->refused, s);
  sqlite3_reset(s);
  return true;
}

static void free_regions(region_list *list) {
  for (int32_t i = 0; i < list->count; i++) {
    region *r = &list->regions[i];
    for (int32_t j = 0; j < r->count; j++) free_text(&r->tremors[j].code);
    free(r->tremors);
    free_text(&r->name);
    free_text(&r->place);
  }
  free(list->regions);
}

bool limit_relations_fetch(limit_relations *store, void **out, int32_t *count, double *sum) {
  region_list *list = calloc(1, sizeof *list);
  if (!list) abort();
  bool read = read_regions(store, store->regions, list);
  if (read) read = read_all_tremors(store, list);
  double total = 0;
  int32_t tremors = 0;
  for (int32_t i = 0; read && i < list->count; i++) {
    const region *r = &list->regions[i];
    for (int32_t j = 0; j < r->count; j++) total += r->tremors[j].magnitude;
    tremors += r->count;
  }
  *out = list;
  *count = tremors;
  *sum = total;
  return read;
}

void limit_relations_free(void *fetched) {
  if (!fetched) return;
  free_regions(fetched);
  free(fetched);
}

bool limit_relations_tremors_by_name(limit_relations *store, const limit_record *records, const int32_t *order,
                                     int32_t count, double *sum) {
  sqlite3_stmt *s = store->tremors_by_name;
  double total = 0;
  tremor *found = NULL;
  int32_t capacity = 0;
  for (int32_t i = 0; i < count; i++) {
    const limit_record *wanted = &records[order[i]];
    sqlite3_bind_text(s, 1, wanted->code, wanted->code_length, SQLITE_STATIC);
    int32_t rows = 0;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
      found = grown(found, rows, &capacity, sizeof *found);
      found[rows++] = read_tremor(s);
    }
    if (code != SQLITE_DONE) return refuse(store->refused, s);
    sqlite3_reset(s);
    for (int32_t j = 0; j < rows; j++) {
      total += found[j].magnitude;
      free_text(&found[j].code);
    }
  }
  free(found);
  *sum = total;
  return true;
}

bool limit_relations_regions_by_magnitude(limit_relations *store, double magnitude, int32_t *count, double *sum) {
  region_list list = {0};
  sqlite3_bind_double(store->regions_by_magnitude, 1, magnitude);
  bool read = read_regions(store, store->regions_by_magnitude, &list);
  double total = 0;
  for (int32_t i = 0; i < list.count; i++) total += (double)list.regions[i].name.length;
  *count = list.count;
  *sum = total;
  free_regions(&list);
  return read;
}
