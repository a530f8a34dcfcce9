// Swift's arithmetic in SQL. SQLite's own operators turn an overflowing sum into a floating-point number and a division
// by zero into NULL, so that a predicate would mean one thing in memory and another in the database.
#include "CLarderSQLite.h"
#include <sqlite3.h>
#include <math.h>
#include <string.h>

typedef enum { op_add, op_subtract, op_multiply, op_divide, op_remainder, op_negate } operation;

typedef struct function {
  const char *name;
  int arguments;
  operation operation;
} function;

static const function functions[] = {
  {"larder_add", 2, op_add},    {"larder_sub", 2, op_subtract},  {"larder_mul", 2, op_multiply},
  {"larder_div", 2, op_divide}, {"larder_mod", 2, op_remainder}, {"larder_neg", 1, op_negate},
};

static void fail(sqlite3_context *context, const char *beginning, const char *name) {
  // Names the function, never the operands: a value may be private.
  char *message = sqlite3_mprintf("%s%s", beginning, name);
  if (message == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  sqlite3_result_error(context, message, -1);
  sqlite3_free(message);
}

static void integers(sqlite3_context *context, const function *function, int64_t left, int64_t right) {
  int64_t result = 0;
  int overflow = 0;
  switch (function->operation) {
    case op_add: overflow = __builtin_add_overflow(left, right, &result); break;
    case op_subtract: overflow = __builtin_sub_overflow(left, right, &result); break;
    case op_multiply: overflow = __builtin_mul_overflow(left, right, &result); break;
    case op_negate: overflow = __builtin_sub_overflow((int64_t)0, left, &result); break;
    case op_divide:
    case op_remainder:
      if (right == 0) {
        fail(context, LARDER_DIVISION_MESSAGE, function->name);
        return;
      }
      // Int64.min / -1: the one quotient without a place in 64 bits. Swift calls the remainder an overflow too.
      overflow = left == INT64_MIN && right == -1;
      if (!overflow) result = function->operation == op_divide ? left / right : left % right;
  }
  if (overflow) {
    fail(context, LARDER_OVERFLOW_MESSAGE, function->name);
  } else {
    sqlite3_result_int64(context, result);
  }
}

static void doubles(sqlite3_context *context, const function *function, double left, double right) {
  double result = 0;
  switch (function->operation) {
    case op_add: result = left + right; break;
    case op_subtract: result = left - right; break;
    case op_multiply: result = left * right; break;
    case op_divide: result = left / right; break;
    case op_remainder: result = fmod(left, right); break;
    case op_negate: result = -left; break;
  }
  sqlite3_result_double(context, result);
}

static void calculate(sqlite3_context *context, int argc, sqlite3_value **argv) {
  const function *function = sqlite3_user_data(context);
  int real = 0, whole = 0;
  for (int i = 0; i < argc; i++) {
    switch (sqlite3_value_type(argv[i])) {
      case SQLITE_NULL: return;  // the result of a function that sets none is NULL
      case SQLITE_INTEGER: whole = 1; break;
      case SQLITE_FLOAT: real = 1; break;
      default: fail(context, LARDER_OPERAND_MESSAGE, function->name); return;
    }
  }
  int last = argc - 1;
  // Of two integers one is beyond what a store holds, and has come as a real number. Nothing would tell that of its result,
  // where the other one is 0: a NaN is NULL.
  if (real && whole && function->operation == op_remainder) {
    fail(context, LARDER_OVERFLOW_MESSAGE, function->name);
  } else if (real) {
    doubles(context, function, sqlite3_value_double(argv[0]), sqlite3_value_double(argv[last]));
  } else {
    integers(context, function, sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[last]));
  }
}

int larder_register_arithmetic(sqlite3 *db) {
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    // DIRECTONLY: no schema of ours names these functions, so none that does is ours.
    int code = sqlite3_create_function_v2(
      db, functions[i].name, functions[i].arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      (void *)&functions[i], calculate, NULL, NULL, NULL);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}
