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

// MARK: - What a library does before it hands out a connection

static larder_marks *file_marks;
static const char *file_path;
// The connection that writes; there is one at a time.
static _Atomic(void *) file_writer;

static int file_statement_begins(unsigned event, void *sqlite, void *statement, void *text) {
  const char *sql = text;
  if (sql == NULL) return 0;
  void *writer = atomic_load(&file_writer);
  if (strncmp(sql, "BEGIN IMMEDIATE", 15) == 0) {
    atomic_store(&file_writer, sqlite);
    atomic_store(&file_marks->phase, LARDER_BEGINNING);
  } else if (writer == sqlite) {
    statement_begins(event, file_marks, statement, text);
    if (strncmp(sql, "COMMIT", 6) == 0) atomic_store(&file_writer, NULL);
  }
  return 0;
}

static int file_opened(sqlite3 *sqlite, char **error, const struct sqlite3_api_routines *routines) {
  (void)error;
  (void)routines;
  const char *path = sqlite3_db_filename(sqlite, "main");
  if (path != NULL && strcmp(path, file_path) == 0)
    sqlite3_trace_v2(sqlite, SQLITE_TRACE_STMT, file_statement_begins, sqlite);
  return SQLITE_OK;
}

void larder_marks_watch_file(larder_marks *marks, const char *path) {
  file_marks = marks;
  file_path = strdup(path);
  sqlite3_auto_extension((void (*)(void))file_opened);
}
