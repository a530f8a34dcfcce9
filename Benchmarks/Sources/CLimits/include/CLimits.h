// The limit that the object layer is measured against: plain C on the same SQLite, in the same process, over the same
// schema, with the same settings and durability, its statements prepared once.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One record as it comes to be written. The bytes belong to the caller and outlive the call.
typedef struct {
  const char *code;
  const char *place;
  int32_t code_length;
  int32_t place_length;
  double magnitude;
  double time;
  double longitude;
  double latitude;
} limit_record;

// The table's columns for a record's fields: composites lie under other names than flat attributes.
typedef struct {
  const char *table;
  const char *code, *magnitude, *time, *place, *longitude, *latitude;
} limit_columns;

typedef struct limit_store limit_store;

// MARK: - Settings

// What one connection runs with, as SQLite itself reports it.
#define LIMIT_SETTING_COUNT 17
typedef struct {
  const char *name;
  char value[64];
} limit_setting;
typedef struct {
  limit_setting settings[LIMIT_SETTING_COUNT];
  int32_t count;
  bool reads_only;
} limit_settings;

// From this call on, every connection that anybody in this process opens is noted, so that the settings of the
// library under measurement can be read from its own connections, without asking it.
void limit_watch_connections(void);

// The settings of the noted connections to this file that are open. At most `capacity`; returns how many. Only to be
// called while nobody uses them.
int32_t limit_settings_of_file(const char *path, limit_settings *out, int32_t capacity);

// MARK: - Stores

// Copies a store's file, schema and bookkeeping and all, with SQLite's own backup. Returns NULL or an error to free.
char *limit_copy_store(const char *from, const char *to);

// Opens a store with two connections, one that writes and one that reads, set as the given ones are. Returns NULL and
// an error to free if it could not.
limit_store *limit_open(const char *path, const limit_columns *columns, const limit_settings *writer,
                        const limit_settings *reader, char **error);
void limit_close(limit_store *store);
// The settings of the limit's own two connections, as SQLite reports them.
void limit_settings_of_store(limit_store *store, limit_settings *writer, limit_settings *reader);
const char *limit_sql(limit_store *store, int32_t which);

// MARK: - Work. Each returns false if SQLite refused a step; limit_message says what.

const char *limit_message(limit_store *store);
bool limit_insert(limit_store *store, const limit_record *records, int32_t count);
bool limit_upsert(limit_store *store, const limit_record *records, int32_t count);
// Reads a document of the feed with simdjson, whole in memory, and upserts its features in one transaction.
// `bytes` must have room for limit_json_padding() more bytes behind them.
bool limit_ingest(limit_store *store, const char *bytes, size_t length, int32_t *count);
size_t limit_json_padding(void);
// Fetches everything into an array of structs that own their strings, and reads each field. The array is the
// caller's, to be given to limit_free; so the limit of a fetch has no freeing in it, as the fetch of objects has none.
bool limit_fetch(limit_store *store, void **rows, int32_t *count, double *sum);
void limit_free(void *rows, int32_t count);
// Looks up records[order[i]] by its code, one query for each, in one read transaction or each in its own.
bool limit_look_up(limit_store *store, const limit_record *records, const int32_t *order, int32_t count,
                   bool one_transaction, double *sum);

// MARK: - A relationship: regions, each with the tremors that refer to it, in an order

typedef struct limit_relations limit_relations;
#define LIMIT_RELATION_STATEMENTS 10

// As limit_open, for a store of the regions' models.
limit_relations *limit_relations_open(const char *path, const limit_settings *writer, const limit_settings *reader,
                                      char **error);
void limit_relations_close(limit_relations *store);
const char *limit_relations_sql(limit_relations *store, int32_t which);
const char *limit_relations_message(limit_relations *store);

// Inserts regions that are named after the first of their tremors' records, with so many tremors each.
bool limit_relations_insert(limit_relations *store, const limit_record *records, int32_t regions, int32_t tremors);
// Deletes regions by their identifiers, and what refers to them.
bool limit_relations_delete(limit_relations *store, const int64_t *regions, int32_t count);
// Fetches all regions, and all their tremors by one statement, which is quicker than one for each region. What is fetched
// is the caller's, to be given to limit_relations_free; so is what a call that failed had read.
bool limit_relations_fetch(limit_relations *store, void **fetched, int32_t *tremors, double *sum);
void limit_relations_free(void *fetched);
// The tremors of the region named as records[order[i]], one query for each.
bool limit_relations_tremors_by_name(limit_relations *store, const limit_record *records, const int32_t *order,
                                     int32_t count, double *sum);
// The regions with a tremor of more than this magnitude.
bool limit_relations_regions_by_magnitude(limit_relations *store, double magnitude, int32_t *count, double *sum);

// MARK: - HTTP

typedef struct limit_http limit_http;

// A set of libcurl's transfers to one address, some at once, with the connections that they keep. NULL where libcurl refuses.
limit_http *limit_http_open(const char *url, int32_t at_once);
void limit_http_close(limit_http *client);
// Asks so many times, each answer into memory of its own that is freed. Returns how many answers were 200 with a body of
// `length` bytes.
int32_t limit_http_get(limit_http *client, int32_t count, size_t length);

#ifdef __cplusplus
}
#endif
