#include "CDurability.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct larder_marks {
  _Atomic int64_t ready;
  _Atomic int64_t begun;
  _Atomic int64_t returned;
  _Atomic int64_t phase;
};

larder_marks *larder_marks_map(const char *path) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return NULL;
  void *page = MAP_FAILED;
  if (ftruncate(descriptor, sizeof(larder_marks)) == 0)
    page = mmap(NULL, sizeof(larder_marks), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return page == MAP_FAILED ? NULL : page;
}

void larder_marks_unmap(larder_marks *marks) { munmap(marks, sizeof(larder_marks)); }

void larder_marks_ready(larder_marks *marks, int64_t save) {
  atomic_store(&marks->begun, save);
  atomic_store(&marks->returned, save);
  atomic_store(&marks->ready, 1);
}

int64_t larder_marks_is_ready(const larder_marks *marks) { return atomic_load(&marks->ready); }

void larder_marks_begun(larder_marks *marks, int64_t save) { atomic_store(&marks->begun, save); }

void larder_marks_returned(larder_marks *marks, int64_t save) { atomic_store(&marks->returned, save); }

int64_t larder_marks_last_begun(const larder_marks *marks) { return atomic_load(&marks->begun); }

int64_t larder_marks_last_returned(const larder_marks *marks) { return atomic_load(&marks->returned); }

int64_t larder_marks_phase(const larder_marks *marks) { return atomic_load(&marks->phase); }

void larder_marks_reset(larder_marks *marks, int64_t returned) {
  atomic_store(&marks->ready, 0);
  atomic_store(&marks->begun, returned);
  atomic_store(&marks->returned, returned);
  atomic_store(&marks->phase, LARDER_OUTSIDE);
}

// SQLite calls this before a statement runs: BEGIN has returned when the statement after it is here.
static int statement_begins(unsigned event, void *context, void *statement, void *text) {
  larder_marks *marks = context;
  const char *sql = text;
  (void)event;
  (void)statement;
  if (sql == NULL) return 0;
  if (strncmp(sql, "BEGIN", 5) == 0) atomic_store(&marks->phase, LARDER_BEGINNING);
  else if (strncmp(sql, "COMMIT", 6) == 0) atomic_store(&marks->phase, LARDER_COMMITTING);
  else if (strncmp(sql, "ROLLBACK", 8) == 0 && strncmp(sql, "ROLLBACK TO", 11) != 0)
    atomic_store(&marks->phase, LARDER_ENDING);
  else if (atomic_load(&marks->phase) == LARDER_BEGINNING) atomic_store(&marks->phase, LARDER_INSIDE);
  return 0;
}

void larder_marks_watch(larder_marks *marks, void *sqlite) {
  sqlite3_trace_v2(sqlite, SQLITE_TRACE_STMT, statement_begins, marks);
}
