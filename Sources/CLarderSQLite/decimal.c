// The order of decimal numbers that are stored as text: by value and exactly, whatever their length.
#include "CLarderSQLite.h"
#include <sqlite3.h>
#include <string.h>

typedef struct decimal {
  int valid;
  int negative;
  // The digits before the point without leading zeros, and those after it without trailing zeros.
  const char *whole;
  int whole_length;
  const char *fraction;
  int fraction_length;
} decimal;

static int digits(const char *text, int length, int at) {
  int end = at;
  while (end < length && text[end] >= '0' && text[end] <= '9') end++;
  return end - at;
}

static decimal parse(const char *text, int length) {
  decimal result = {0};
  int at = 0;
  if (at < length && text[at] == '-') {
    result.negative = 1;
    at++;
  }
  result.whole = text + at;
  result.whole_length = digits(text, length, at);
  if (result.whole_length == 0) return result;
  at += result.whole_length;
  if (at < length && text[at] == '.') {
    at++;
    result.fraction = text + at;
    result.fraction_length = digits(text, length, at);
    if (result.fraction_length == 0) return result;
    at += result.fraction_length;
  }
  if (at != length) return result;
  while (result.whole_length > 0 && *result.whole == '0') {
    result.whole++;
    result.whole_length--;
  }
  while (result.fraction_length > 0 && result.fraction[result.fraction_length - 1] == '0') result.fraction_length--;
  if (result.whole_length == 0 && result.fraction_length == 0) result.negative = 0;
  result.valid = 1;
  return result;
}

static int sign(int value) { return (value > 0) - (value < 0); }

static int compare_bytes(const char *left, int left_length, const char *right, int right_length) {
  int common = left_length < right_length ? left_length : right_length;
  int order = common > 0 ? memcmp(left, right, (size_t)common) : 0;
  return sign(order != 0 ? order : (left_length > right_length) - (left_length < right_length));
}

int larder_compare_decimals(const char *left, int left_length, const char *right, int right_length) {
  decimal a = parse(left, left_length), b = parse(right, right_length);
  // What is no decimal needs a place as well, or an index could not be searched: after all numbers.
  if (!a.valid || !b.valid) {
    if (a.valid != b.valid) return a.valid ? -1 : 1;
    return compare_bytes(left, left_length, right, right_length);
  }
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  int order = sign(a.whole_length - b.whole_length);
  if (order == 0 && a.whole_length > 0) order = sign(memcmp(a.whole, b.whole, (size_t)a.whole_length));
  // Without trailing zeros, a longer fraction with the same beginning is the greater: the order of bytes.
  if (order == 0) order = compare_bytes(a.fraction, a.fraction_length, b.fraction, b.fraction_length);
  return a.negative ? -order : order;
}

static int collate(void *context, int left_length, const void *left, int right_length, const void *right) {
  (void)context;
  return larder_compare_decimals(left, left_length, right, right_length);
}

int larder_register_decimal_collation(sqlite3 *db) {
  return sqlite3_create_collation_v2(db, LARDER_DECIMAL_COLLATION, SQLITE_UTF8, NULL, collate, NULL);
}
