#define _GNU_SOURCE
#include "fault_vfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fault_vfs *face(sqlite3_vfs *vfs) { return (fault_vfs *)vfs; }

// MARK: - Which operation fails

static int detailed(int code, uint32_t operation) {
  if (code != SQLITE_IOERR) return code;
  switch (operation) {
    case FAULT_READ: return SQLITE_IOERR_READ;
    case FAULT_WRITE: return SQLITE_IOERR_WRITE;
    case FAULT_SYNC: return SQLITE_IOERR_FSYNC;
    case FAULT_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case FAULT_DELETE: return SQLITE_IOERR_DELETE;
    case FAULT_LOCK: return SQLITE_IOERR_LOCK;
    case FAULT_SHARED_MEMORY: return SQLITE_IOERR_SHMMAP;
    default: return SQLITE_CANTOPEN;
  }
}

static void lose_power(fault_vfs *vfs) {
  if (vfs->without_power) return;
  vfs->without_power = 1;
  vfs->generation++;
}

int fault_check(fault_vfs *vfs, uint32_t operation, int64_t generation) {
  vfs->counts[__builtin_ctz(operation)]++;
  if (vfs->without_power || generation != vfs->generation) return detailed(SQLITE_IOERR, operation);
  if (!(vfs->plan_mask & operation)) return SQLITE_OK;
  if (vfs->plan_left > 1) {
    vfs->plan_left--;
    return SQLITE_OK;
  }
  if (!vfs->plan_repeats) vfs->plan_mask = 0;
  vfs->strikes++;
  if (!vfs->plan_cuts_power) return detailed(vfs->plan_code, operation);
  lose_power(vfs);
  return detailed(SQLITE_IOERR, operation);
}

static void plan(fault_vfs *vfs, uint32_t mask, int64_t nth, int code, int repeating, int cuts_power) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->plan_mask = mask;
  vfs->plan_left = nth;
  vfs->plan_code = code;
  vfs->plan_repeats = repeating;
  vfs->plan_cuts_power = cuts_power;
  vfs->strikes = 0;
  pthread_mutex_unlock(&vfs->mutex);
}

void fault_vfs_fail(fault_vfs *vfs, uint32_t mask, int64_t nth, int code, int repeating) {
  plan(vfs, mask, nth, code, repeating, 0);
}

void fault_vfs_cut_power_at(fault_vfs *vfs, uint32_t mask, int64_t nth) { plan(vfs, mask, nth, SQLITE_IOERR, 0, 1); }

void fault_vfs_clear_plan(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->plan_mask = 0;
  pthread_mutex_unlock(&vfs->mutex);
}

// MARK: - The VFS's own operations

static const int temporary_files = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB
  | SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_DELETEONCLOSE;

// Files for whose names the system's VFS syncs the folder.
static const int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;

static int open_noted(fault_vfs *vfs, const char *name, fault_file *file, int flags, int *out_flags) {
  struct stat status;
  int existed = name != NULL && stat(name, &status) == 0;
  int code = vfs->inner->xOpen(vfs->inner, name, file->inner, flags, out_flags);
  if (code != SQLITE_OK) return code;
  if (name != NULL && !(flags & temporary_files)) {
    file_record *record = record_for(&vfs->records, name);
    sqlite3_int64 size = 0;
    if (record != NULL) code = file->inner->pMethods->xFileSize(file->inner, &size);
    if (record == NULL || code != SQLITE_OK || (!existed && record_add(record, change_create) == NULL)) {
      file->inner->pMethods->xClose(file->inner);
      return code != SQLITE_OK ? code : SQLITE_NOMEM;
    }
    record->exists = 1;
    record->size = size;
    if (flags & SQLITE_OPEN_MAIN_DB) record->is_database = 1;
    file->syncs_folder = !existed && (flags & journals) != 0;
    file->record = record;
  }
  return SQLITE_OK;
}

static int fault_open(sqlite3_vfs *base, sqlite3_filename name, sqlite3_file *opened, int flags, int *out_flags) {
  fault_vfs *vfs = face(base);
  fault_file *file = (fault_file *)opened;
  memset(file, 0, sizeof(fault_file));
  file->vfs = vfs;
  // SQLite has reserved szOsFile bytes: ours, then the system's.
  file->inner = (sqlite3_file *)(file + 1);
  pthread_mutex_lock(&vfs->mutex);
  file->generation = vfs->generation;
  int code = fault_check(vfs, FAULT_OPEN, vfs->generation);
  if (code == SQLITE_OK) code = open_noted(vfs, name, file, flags, out_flags);
  if (code == SQLITE_OK) {
    file->base.pMethods = &fault_io_methods;
    vfs->open_files++;
  }
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int delete_noted(fault_vfs *vfs, const char *name, int sync_folder) {
  file_record *record = record_for(&vfs->records, name);
  if (record == NULL) return SQLITE_NOMEM;
  int64_t size;
  uint8_t *content = read_whole_file(name, &size);
  int code = vfs->inner->xDelete(vfs->inner, name, 0);
  if (code != SQLITE_OK) {
    free(content);
    return code;
  }
  if (sync_folder) {
    record_forget_changes(record);
    free(content);
  } else {
    change *noted = record_add(record, change_delete);
    if (noted == NULL) {
      free(content);
      return SQLITE_NOMEM;
    }
    noted->old_bytes = content;
    noted->old_length = size;
  }
  record->exists = 0;
  record->size = 0;
  return SQLITE_OK;
}

static int fault_delete(sqlite3_vfs *base, const char *name, int sync_folder) {
  fault_vfs *vfs = face(base);
  pthread_mutex_lock(&vfs->mutex);
  int code = fault_check(vfs, FAULT_DELETE, vfs->generation);
  if (code == SQLITE_OK) code = delete_noted(vfs, name, sync_folder);
  pthread_mutex_unlock(&vfs->mutex);
  return code;
}

static int fault_access(sqlite3_vfs *base, const char *name, int flags, int *result) {
  if (fault_vfs_is_without_power(face(base))) return SQLITE_IOERR_ACCESS;
  return face(base)->inner->xAccess(face(base)->inner, name, flags, result);
}

static int fault_full_pathname(sqlite3_vfs *base, const char *name, int length, char *result) {
  return face(base)->inner->xFullPathname(face(base)->inner, name, length, result);
}

static int fault_randomness(sqlite3_vfs *base, int length, char *result) {
  return face(base)->inner->xRandomness(face(base)->inner, length, result);
}

static int fault_sleep(sqlite3_vfs *base, int microseconds) {
  return face(base)->inner->xSleep(face(base)->inner, microseconds);
}

static int fault_current_time(sqlite3_vfs *base, double *time) {
  return face(base)->inner->xCurrentTime(face(base)->inner, time);
}

static int fault_current_time_64(sqlite3_vfs *base, sqlite3_int64 *time) {
  return face(base)->inner->xCurrentTimeInt64(face(base)->inner, time);
}

static int fault_last_error(sqlite3_vfs *base, int length, char *result) {
  return face(base)->inner->xGetLastError(face(base)->inner, length, result);
}

// MARK: - What is done past SQLite

int fault_vfs_rename(fault_vfs *vfs, const char *from, const char *to) {
  pthread_mutex_lock(&vfs->mutex);
  int code = fault_check(vfs, FAULT_RENAME, vfs->generation);
  int result = code == SQLITE_OK ? 0 : code == SQLITE_FULL ? ENOSPC : EIO;
  if (result == 0) {
    file_record *source = record_for(&vfs->records, from);
    file_record *target = record_for(&vfs->records, to);
    if (source == NULL || target == NULL || !record_rename(source, target)) result = ENOMEM;
  }
  pthread_mutex_unlock(&vfs->mutex);
  return result;
}

void fault_vfs_sync_folder(fault_vfs *vfs, const char *folder) {
  pthread_mutex_lock(&vfs->mutex);
  size_t length = strlen(folder);
  for (file_record *record = vfs->records; record != NULL; record = record->next) {
    if (strncmp(record->path, folder, length) != 0 || record->path[length] != '/') continue;
    if (strchr(record->path + length + 1, '/') == NULL) record_forget_names(record);
  }
  pthread_mutex_unlock(&vfs->mutex);
}

// MARK: - Its life

fault_vfs *fault_vfs_create(const char *name) {
  sqlite3_vfs *inner = sqlite3_vfs_find(NULL);
  fault_vfs *vfs = calloc(1, sizeof(fault_vfs));
  if (inner == NULL || vfs == NULL) {
    free(vfs);
    return NULL;
  }
  vfs->inner = inner;
  vfs->name = strdup(name);
  vfs->quota = -1;
  pthread_mutex_init(&vfs->mutex, NULL);
  vfs->base = (sqlite3_vfs){
    .iVersion = 2,
    .szOsFile = (int)sizeof(fault_file) + inner->szOsFile,
    .mxPathname = inner->mxPathname,
    .zName = vfs->name,
    .xOpen = fault_open,
    .xDelete = fault_delete,
    .xAccess = fault_access,
    .xFullPathname = fault_full_pathname,
    .xRandomness = fault_randomness,
    .xSleep = fault_sleep,
    .xCurrentTime = fault_current_time,
    .xGetLastError = fault_last_error,
    .xCurrentTimeInt64 = fault_current_time_64,
  };
  if (vfs->name == NULL || sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
    free(vfs->name);
    free(vfs);
    return NULL;
  }
  return vfs;
}

int fault_vfs_destroy(fault_vfs *vfs) {
  if (fault_vfs_open_files(vfs) != 0) return 1;
  sqlite3_vfs_unregister(&vfs->base);
  record_free_all(&vfs->records);
  pthread_mutex_destroy(&vfs->mutex);
  free(vfs->name);
  free(vfs);
  return 0;
}

// MARK: - Power

void fault_vfs_cut_power(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  lose_power(vfs);
  pthread_mutex_unlock(&vfs->mutex);
}

int fault_vfs_is_without_power(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  int without = vfs->without_power;
  pthread_mutex_unlock(&vfs->mutex);
  return without;
}

int fault_vfs_restore_power(fault_vfs *vfs, uint64_t seed) {
  pthread_mutex_lock(&vfs->mutex);
  lose_power(vfs);
  int result = 0;
  for (file_record *record = vfs->records; record != NULL; record = record->next) {
    int code = record_restore(record, &seed);
    if (code != 0) result = code;
    // Shared memory is memory: it does not outlive the power.
    char *shared = NULL;
    if (record->is_database && asprintf(&shared, "%s-shm", record->path) >= 0) {
      unlink(shared);
      free(shared);
    }
  }
  vfs->plan_mask = 0;
  vfs->without_power = 0;
  pthread_mutex_unlock(&vfs->mutex);
  return result;
}

// MARK: - Counts

void fault_vfs_set_quota(fault_vfs *vfs, int64_t bytes) {
  pthread_mutex_lock(&vfs->mutex);
  vfs->quota = bytes;
  pthread_mutex_unlock(&vfs->mutex);
}

int64_t fault_vfs_used_bytes(fault_vfs *vfs) {
  int64_t used = 0;
  pthread_mutex_lock(&vfs->mutex);
  for (file_record *record = vfs->records; record != NULL; record = record->next) {
    if (record->exists) used += record->size;
  }
  pthread_mutex_unlock(&vfs->mutex);
  return used;
}

int64_t fault_vfs_count(fault_vfs *vfs, uint32_t mask) {
  int64_t count = 0;
  pthread_mutex_lock(&vfs->mutex);
  for (int kind = 0; kind < operation_kinds; kind++) {
    if (mask & (1u << kind)) count += vfs->counts[kind];
  }
  pthread_mutex_unlock(&vfs->mutex);
  return count;
}

void fault_vfs_reset_counts(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  memset(vfs->counts, 0, sizeof vfs->counts);
  pthread_mutex_unlock(&vfs->mutex);
}

int64_t fault_vfs_open_files(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  int64_t open = vfs->open_files;
  pthread_mutex_unlock(&vfs->mutex);
  return open;
}

int64_t fault_vfs_strikes(fault_vfs *vfs) {
  pthread_mutex_lock(&vfs->mutex);
  int64_t strikes = vfs->strikes;
  pthread_mutex_unlock(&vfs->mutex);
  return strikes;
}

int64_t fault_vfs_unsynced(fault_vfs *vfs) {
  int64_t count = 0;
  pthread_mutex_lock(&vfs->mutex);
  for (file_record *record = vfs->records; record != NULL; record = record->next) count += record->count;
  pthread_mutex_unlock(&vfs->mutex);
  return count;
}
