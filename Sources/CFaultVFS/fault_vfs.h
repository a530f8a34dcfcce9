// The parts that the files of this target share.
#pragma once
#include <pthread.h>
#include <sqlite3.h>

#include "CFaultVFS.h"
#include "journal.h"

enum { operation_kinds = 9 };

struct fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *inner;
  char *name;
  // Guards everything below, and is held while a change is made, so that the journal has the order of the changes.
  pthread_mutex_t mutex;
  file_record *records;
  int64_t open_files;
  int64_t counts[operation_kinds];
  int64_t quota;

  uint32_t plan_mask;
  int64_t plan_left;
  int plan_code;
  int plan_repeats;
  int plan_cuts_power;
  int64_t strikes;

  int without_power;
  // Raised by each power cut: what was opened before is dead.
  int64_t generation;
};

typedef struct fault_file {
  sqlite3_file base;
  fault_vfs *vfs;
  // NULL for temporary files, which no power cut needs to keep.
  file_record *record;
  int64_t generation;
  // Set on a journal or log that was made by this opening, until its first sync: that one syncs the folder too.
  int syncs_folder;
  sqlite3_file *inner;
} fault_file;

extern const sqlite3_io_methods fault_io_methods;

// SQLITE_OK, or the code with which the operation fails. Call with the mutex held.
int fault_check(fault_vfs *vfs, uint32_t operation, int64_t generation);
