// Sums that lose nothing on the way: neither the order of the rows nor an intermediate sum decides what comes out.
#include "CLarderSQLite.h"
#include <math.h>
#include <sqlite3.h>
#include <string.h>

// MARK: - Integers, in 128 bits

void larder_integer_total_add(larder_integer_total *total, int64_t value) {
  uint64_t low = total->low + (uint64_t)value;
  total->high += (value < 0 ? -1 : 0) + (low < total->low ? 1 : 0);
  total->low = low;
}

int larder_integer_total_fits(const larder_integer_total *total) {
  return total->high == ((int64_t)total->low < 0 ? -1 : 0);
}

double larder_integer_total_double(const larder_integer_total *total) {
  if (larder_integer_total_fits(total)) return (double)(int64_t)total->low;
  return ldexp((double)total->high, 64) + (double)total->low;
}

// MARK: - Floating-point numbers, as one fixed-point number that has a place for each bit of a double

enum { LEAST_EXPONENT = -1074, DIGIT_BITS = 32, MANTISSA_BITS = 53 };

// Digits keep their carries until there could be too many of them.
static const uint32_t carries_allowed = 1u << 29;

static void carry(int64_t *digits) {
  for (int i = 0; i + 1 < LARDER_REAL_DIGITS; i++) {
    int64_t rest = digits[i] & 0xFFFFFFFF;
    digits[i + 1] += (digits[i] - rest) / ((int64_t)1 << DIGIT_BITS);
    digits[i] = rest;
  }
}

void larder_real_total_add(larder_real_total *total, double value) {
  if (!isfinite(value)) {
    if (isnan(value)) total->is_nan = 1;
    else if (value > 0) total->is_infinite = 1;
    else total->is_minus_infinite = 1;
    return;
  }
  if (value == 0) return;
  int exponent = 0;
  double fraction = frexp(value < 0 ? -value : value, &exponent);
  uint64_t mantissa = (uint64_t)ldexp(fraction, MANTISSA_BITS);
  int place = exponent - MANTISSA_BITS - LEAST_EXPONENT;
  if (place < 0) {
    // A subnormal number: its lowest bits are zeros.
    mantissa >>= -place;
    place = 0;
  }
  int64_t sign = value < 0 ? -1 : 1;
  int digit = place / DIGIT_BITS, shift = place % DIGIT_BITS;
  uint64_t low = (mantissa & 0xFFFFFFFF) << shift, high = (mantissa >> DIGIT_BITS) << shift;
  total->digits[digit] += sign * (int64_t)(low & 0xFFFFFFFF);
  total->digits[digit + 1] += sign * (int64_t)((low >> DIGIT_BITS) + (high & 0xFFFFFFFF));
  total->digits[digit + 2] += sign * (int64_t)(high >> DIGIT_BITS);
  if (++total->carries == carries_allowed) {
    carry(total->digits);
    total->carries = 0;
  }
}

static int bit(const int64_t *digits, int at) { return (int)(digits[at / DIGIT_BITS] >> (at % DIGIT_BITS)) & 1; }

double larder_real_total_value(const larder_real_total *total) {
  if (total->is_nan || (total->is_infinite && total->is_minus_infinite)) return NAN;
  if (total->is_infinite) return INFINITY;
  if (total->is_minus_infinite) return -INFINITY;
  int64_t digits[LARDER_REAL_DIGITS];
  memcpy(digits, total->digits, sizeof digits);
  carry(digits);
  int negative = digits[LARDER_REAL_DIGITS - 1] < 0;
  if (negative) {
    for (int i = 0; i < LARDER_REAL_DIGITS; i++) digits[i] = -digits[i];
    carry(digits);
  }
  int length = LARDER_REAL_DIGITS * DIGIT_BITS;
  while (length > 0 && digits[length / DIGIT_BITS - 1] == 0) length -= DIGIT_BITS;
  while (length > 0 && !bit(digits, length - 1)) length--;
  int lowest = length > MANTISSA_BITS ? length - MANTISSA_BITS : 0;
  uint64_t mantissa = 0;
  for (int at = length - 1; at >= lowest; at--) mantissa = mantissa << 1 | (uint64_t)bit(digits, at);
  if (lowest > 0 && bit(digits, lowest - 1)) {
    int above_half = 0;
    for (int at = 0; at < lowest - 1 && !above_half; at++) above_half = bit(digits, at);
    if (above_half || (mantissa & 1)) mantissa++;
  }
  double value = ldexp((double)mantissa, lowest + LEAST_EXPONENT);
  return negative ? -value : value;
}

// MARK: - Decimal numbers, as text digit by digit

int larder_decimal_total_add(larder_decimal_total *total, const char *text, int length) {
  int at = 0, sign = 1;
  if (at < length && text[at] == '-') {
    sign = -1;
    at++;
  }
  int start = at;
  while (at < length && text[at] >= '0' && text[at] <= '9') at++;
  int end = at;
  int fraction = 0;
  if (at < length && text[at] == '.') {
    at++;
    fraction = length - at;
    for (int i = at; i < length; i++) if (text[i] < '0' || text[i] > '9') return 0;
    if (fraction == 0) return 0;
    at = length;
  }
  if (at != length || end == start) return 0;
  if (end - start > LARDER_DECIMAL_LONGEST || fraction > LARDER_DECIMAL_LONGEST) return 0;
  int64_t *point = total->digits + LARDER_DECIMAL_LONGEST;
  for (int i = start; i < end; i++) point[end - 1 - i] += sign * (text[i] - '0');
  for (int i = 0; i < fraction; i++) point[-1 - i] += sign * (text[length - fraction + i] - '0');
  return 1;
}

static void carry_decimal(int64_t *digits) {
  for (int i = 0; i + 1 < LARDER_DECIMAL_DIGITS; i++) {
    int64_t rest = digits[i] % 10;
    if (rest < 0) rest += 10;
    digits[i + 1] += (digits[i] - rest) / 10;
    digits[i] = rest;
  }
}

int larder_decimal_total_text(const larder_decimal_total *total, char *text) {
  int64_t digits[LARDER_DECIMAL_DIGITS];
  memcpy(digits, total->digits, sizeof digits);
  carry_decimal(digits);
  int length = 0;
  if (digits[LARDER_DECIMAL_DIGITS - 1] < 0) {
    text[length++] = '-';
    for (int i = 0; i < LARDER_DECIMAL_DIGITS; i++) digits[i] = -digits[i];
    carry_decimal(digits);
  }
  int first = LARDER_DECIMAL_DIGITS - 1, last = 0;
  while (first > LARDER_DECIMAL_LONGEST && digits[first] == 0) first--;
  while (last < LARDER_DECIMAL_LONGEST && digits[last] == 0) last++;
  for (int i = first; i >= last; i--) {
    if (i == LARDER_DECIMAL_LONGEST - 1) text[length++] = '.';
    text[length++] = (char)('0' + digits[i]);
  }
  return length;
}

// MARK: - As functions of SQL

static void step_integer(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  larder_integer_total *total = sqlite3_aggregate_context(context, sizeof *total);
  if (total == NULL || sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  larder_integer_total_add(total, sqlite3_value_int64(argv[0]));
  total->count++;
}

static void end_integer(sqlite3_context *context) {
  larder_integer_total *total = sqlite3_aggregate_context(context, 0);
  if (total == NULL) sqlite3_result_int64(context, 0);
  else if (larder_integer_total_fits(total)) sqlite3_result_int64(context, (int64_t)total->low);
}

static void end_mean(sqlite3_context *context) {
  larder_integer_total *total = sqlite3_aggregate_context(context, 0);
  if (total == NULL || total->count == 0) return;
  sqlite3_result_double(context, larder_integer_total_double(total) / (double)total->count);
}

static void step_real(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  larder_real_total *total = sqlite3_aggregate_context(context, sizeof *total);
  if (total == NULL || sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  larder_real_total_add(total, sqlite3_value_double(argv[0]));
}

static void end_real(sqlite3_context *context) {
  larder_real_total *total = sqlite3_aggregate_context(context, 0);
  // A NaN becomes NULL.
  sqlite3_result_double(context, total == NULL ? 0 : larder_real_total_value(total));
}

static void step_decimal(sqlite3_context *context, int argc, sqlite3_value **argv) {
  (void)argc;
  larder_decimal_total *total = sqlite3_aggregate_context(context, sizeof *total);
  if (total == NULL || sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  const char *text = (const char *)sqlite3_value_text(argv[0]);
  if (text == NULL || !larder_decimal_total_add(total, text, sqlite3_value_bytes(argv[0]))) total->is_unreadable = 1;
}

static void end_decimal(sqlite3_context *context) {
  larder_decimal_total *total = sqlite3_aggregate_context(context, 0);
  if (total == NULL) {
    sqlite3_result_text(context, "0", 1, SQLITE_STATIC);
  } else if (!total->is_unreadable) {
    char text[LARDER_DECIMAL_TEXT];
    sqlite3_result_text(context, text, larder_decimal_total_text(total, text), SQLITE_TRANSIENT);
  }
}

// The most significant digits that every number of so many has as a Decimal.
enum { DECIMAL_PRECISION = 38 };

static int significant_digits(const char *text, int length) {
  int first = -1, last = -1, at = 0;
  for (int i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') continue;
    if (text[i] != '0') {
      if (first < 0) first = at;
      last = at;
    }
    at++;
  }
  return first < 0 ? 1 : last - first + 1;
}

static void add_decimals(sqlite3_context *context, int argc, sqlite3_value **argv) {
  larder_decimal_total total = {0};
  for (int i = 0; i < argc; i++) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
    const char *text = (const char *)sqlite3_value_text(argv[i]);
    if (text == NULL || !larder_decimal_total_add(&total, text, sqlite3_value_bytes(argv[i]))) {
      sqlite3_result_error(context, LARDER_OPERAND_MESSAGE "larder_add_decimal", -1);
      return;
    }
  }
  char text[LARDER_DECIMAL_TEXT];
  int length = larder_decimal_total_text(&total, text);
  if (significant_digits(text, length) > DECIMAL_PRECISION) {
    sqlite3_result_error(context, LARDER_OVERFLOW_MESSAGE "larder_add_decimal", -1);
  } else {
    sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
  }
}

int larder_register_totals(sqlite3 *db) {
  static const struct {
    const char *name;
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*end)(sqlite3_context *);
  } functions[] = {
    {"larder_total_integer", step_integer, end_integer},
    {"larder_mean_integer", step_integer, end_mean},
    {"larder_total_real", step_real, end_real},
    {"larder_total_decimal", step_decimal, end_decimal},
  };
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    int code = sqlite3_create_function_v2(
      db, functions[i].name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, NULL, functions[i].step,
      functions[i].end, NULL);
    if (code != SQLITE_OK) return code;
  }
  return sqlite3_create_function_v2(
    db, "larder_add_decimal", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL, add_decimals, NULL, NULL,
    NULL);
}
