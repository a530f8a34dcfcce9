// Strings as rows hold them. For this target only.
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A string as C++ and Swift have it: up to 15 bytes inside, longer ones in an allocation of their own.
typedef struct {
  int64_t length;
  union {
    char *outside;
    char inside[16];
  };
} text;

static inline void copy_text(sqlite3_stmt *s, int column, text *out) {
  const unsigned char *bytes = sqlite3_column_text(s, column);
  int length = sqlite3_column_bytes(s, column);
  char *target = out->inside;
  if (length >= (int)sizeof out->inside) {
    target = out->outside = malloc((size_t)length + 1);
    if (!target) abort();
  }
  memcpy(target, bytes, (size_t)length);
  target[length] = 0;
  out->length = length;
}

static inline void free_text(text *t) {
  if (t->length >= (int64_t)sizeof t->inside) free(t->outside);
}
