// JSON to rows as C++ has it: simdjson's On Demand, the strings bound as it hands them out.
#include "CLimits.h"
extern "C" {
#include "steps.h"
#include "store.h"
}
#include <simdjson.h>

using namespace simdjson;

namespace {

// Milliseconds since 1970 as the library stores dates: seconds since 2001.
double seconds(int64_t milliseconds) { return (double)milliseconds / 1000 - 978307200; }

void bind(sqlite3_stmt *s, int place, std::string_view text) {
  sqlite3_bind_text(s, place, text.data(), (int)text.size(), SQLITE_STATIC);
}

void bind_feature(sqlite3_stmt *s, ondemand::object feature) {
  // In the order in which they stand, as a reader that knows the feed would.
  ondemand::object properties = feature["properties"];
  sqlite3_bind_double(s, 2, properties["mag"].get_double());
  bind(s, 4, properties["place"].get_string());
  sqlite3_bind_double(s, 3, seconds(properties["time"].get_int64()));
  bind(s, 1, properties["code"].get_string());
  ondemand::array coordinates = feature["geometry"]["coordinates"];
  int place = 5;
  for (auto value : coordinates) {
    if (place > 6) break;
    sqlite3_bind_double(s, place++, value.get_double());
  }
}

}  // namespace

size_t limit_json_padding(void) { return SIMDJSON_PADDING; }

bool limit_ingest(limit_store *store, const char *bytes, size_t length, int32_t *count) {
  *count = 0;
  sqlite3_stmt *s = store->upsert;
  if (!once(store->refused, store->begin_write)) return false;
  try {
    static ondemand::parser parser;
    ondemand::document document = parser.iterate(bytes, length, length + SIMDJSON_PADDING);
    for (ondemand::object feature : document["features"].get_array()) {
      bind_feature(s, feature);
      if (sqlite3_step(s) != SQLITE_DONE) return refuse(store->refused, s);
      sqlite3_reset(s);
      ++*count;
    }
  } catch (const simdjson_error &error) {
    sqlite3_snprintf(REFUSED_SIZE, store->refused, "%s", error.what());
    return false;
  }
  return once(store->refused, store->commit_write);
}
