// The operations on an open file.
#include <stdlib.h>
#include <string.h>

#include "fault_vfs.h"

static fault_file *face(sqlite3_file *file) { return (fault_file *)file; }

static int begin(fault_file *file, uint32_t operation) {
  pthread_mutex_lock(&file->vfs->mutex);
  return fault_check(file->vfs, operation, file->generation);
}

static int end(fault_file *file, int code) {
  pthread_mutex_unlock(&file->vfs->mutex);
  return code;
}

static int is_dead(fault_file *file) {
  pthread_mutex_lock(&file->vfs->mutex);
  int dead = file->vfs->without_power || file->generation != file->vfs->generation;
  pthread_mutex_unlock(&file->vfs->mutex);
  return dead;
}

static int fault_close(sqlite3_file *base) {
  fault_file *file = face(base);
  int code = file->inner->pMethods->xClose(file->inner);
  pthread_mutex_lock(&file->vfs->mutex);
  file->vfs->open_files--;
  return end(file, code);
}

static int fault_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
  fault_file *file = face(base);
  int code = end(file, begin(file, FAULT_READ));
  return code != SQLITE_OK ? code : file->inner->pMethods->xRead(file->inner, bytes, length, offset);
}

// MARK: - Changes

static int64_t used_bytes(fault_vfs *vfs) {
  int64_t used = 0;
  for (file_record *record = vfs->records; record != NULL; record = record->next) {
    if (record->exists) used += record->size;
  }
  return used;
}

// Notes the bytes from offset on, as many as there are up to length.
static int keep_old(fault_file *file, change *change, int64_t offset, int64_t length) {
  change->offset = offset;
  change->length = length;
  int64_t there = file->record->size - offset;
  if (there > length) there = length;
  if (there <= 0) return SQLITE_OK;
  change->old_bytes = malloc((size_t)there);
  if (change->old_bytes == NULL) return SQLITE_NOMEM;
  change->old_length = there;
  return file->inner->pMethods->xRead(file->inner, change->old_bytes, (int)there, offset);
}

static int write_noted(fault_file *file, const void *bytes, int length, int64_t offset) {
  file_record *record = file->record;
  if (record != NULL) {
    change *noted = record_add(record, change_write);
    if (noted == NULL) return SQLITE_NOMEM;
    int code = keep_old(file, noted, offset, length);
    if (code != SQLITE_OK) return code;
    if (offset + length > record->size) record->size = offset + length;
  }
  return file->inner->pMethods->xWrite(file->inner, bytes, length, offset);
}

static int fault_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  fault_file *file = face(base);
  int had_power = !is_dead(file);
  int code = begin(file, FAULT_WRITE);
  if (code != SQLITE_OK) {
    // The write during which the power goes may be on the disk, in part or whole.
    int power_went = had_power && file->vfs->without_power && file->generation == file->vfs->generation - 1;
    if (power_went) write_noted(file, bytes, length, offset);
    return end(file, code);
  }
  if (file->record != NULL && file->vfs->quota >= 0) {
    int64_t growth = offset + length - file->record->size;
    int64_t room = file->vfs->quota - used_bytes(file->vfs);
    if (growth > 0 && growth > room) {
      // A full disk takes what still fits.
      int64_t fits = length - growth + (room > 0 ? room : 0);
      if (fits > 0) write_noted(file, bytes, (int)fits, offset);
      return end(file, SQLITE_FULL);
    }
  }
  return end(file, write_noted(file, bytes, length, offset));
}

static int fault_truncate(sqlite3_file *base, sqlite3_int64 size) {
  fault_file *file = face(base);
  int code = begin(file, FAULT_TRUNCATE);
  if (code != SQLITE_OK) return end(file, code);
  file_record *record = file->record;
  if (record != NULL) {
    change *noted = record_add(record, change_truncate);
    if (noted == NULL) return end(file, SQLITE_NOMEM);
    code = keep_old(file, noted, size, record->size > size ? record->size - size : 0);
    if (code != SQLITE_OK) return end(file, code);
    record->size = size;
  }
  return end(file, file->inner->pMethods->xTruncate(file->inner, size));
}

// All names in the folder last together. SQLite relies on it: it deletes a rollback journal without a sync of its own,
// and a journal that came back after the log's first commit would undo that commit.
static void sync_folder_of(fault_file *file) {
  const char *slash = strrchr(file->record->path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - file->record->path) + 1;
  for (file_record *record = file->vfs->records; record != NULL; record = record->next) {
    if (strncmp(record->path, file->record->path, length) == 0 && strchr(record->path + length, '/') == NULL) {
      record_forget_names(record);
    }
  }
}

static int fault_sync(sqlite3_file *base, int flags) {
  (void)flags;
  fault_file *file = face(base);
  int code = begin(file, FAULT_SYNC);
  // The real disk need not be waited for: only this journal decides what a power cut keeps. Syncing a file also makes
  // its own name last, as file systems do.
  if (code == SQLITE_OK && file->record != NULL) {
    record_forget_changes(file->record);
    if (file->syncs_folder) sync_folder_of(file);
    file->syncs_folder = 0;
  }
  return end(file, code);
}

// MARK: - Passed on

static int fault_file_size(sqlite3_file *base, sqlite3_int64 *size) {
  fault_file *file = face(base);
  return is_dead(file) ? SQLITE_IOERR_FSTAT : file->inner->pMethods->xFileSize(file->inner, size);
}

static int fault_lock(sqlite3_file *base, int level) {
  fault_file *file = face(base);
  int code = end(file, begin(file, FAULT_LOCK));
  return code != SQLITE_OK ? code : file->inner->pMethods->xLock(file->inner, level);
}

static int fault_unlock(sqlite3_file *base, int level) {
  return face(base)->inner->pMethods->xUnlock(face(base)->inner, level);
}

static int fault_check_reserved(sqlite3_file *base, int *reserved) {
  return face(base)->inner->pMethods->xCheckReservedLock(face(base)->inner, reserved);
}

static int fault_control(sqlite3_file *base, int operation, void *argument) {
  fault_file *file = face(base);
  // Both would change the file behind the journal.
  if (operation == SQLITE_FCNTL_CHUNK_SIZE || operation == SQLITE_FCNTL_SIZE_HINT) return SQLITE_OK;
  return file->inner->pMethods->xFileControl(file->inner, operation, argument);
}

// What is torn here is torn at 512 bytes, and SQLite is told so.
static int fault_sector_size(sqlite3_file *base) {
  (void)base;
  return 512;
}

static int fault_characteristics(sqlite3_file *base) {
  fault_file *file = face(base);
  return file->inner->pMethods->xDeviceCharacteristics(file->inner) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int fault_shm_map(sqlite3_file *base, int page, int size, int extend, void volatile **memory) {
  fault_file *file = face(base);
  int code = end(file, begin(file, FAULT_SHARED_MEMORY));
  if (code != SQLITE_OK) {
    *memory = NULL;
    return code;
  }
  return file->inner->pMethods->xShmMap(file->inner, page, size, extend, memory);
}

static int fault_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  fault_file *file = face(base);
  if (!(flags & SQLITE_SHM_UNLOCK)) {
    int code = end(file, begin(file, FAULT_LOCK));
    if (code != SQLITE_OK) return code;
  }
  return file->inner->pMethods->xShmLock(file->inner, offset, count, flags);
}

static void fault_shm_barrier(sqlite3_file *base) { face(base)->inner->pMethods->xShmBarrier(face(base)->inner); }

static int fault_shm_unmap(sqlite3_file *base, int remove) {
  fault_file *file = face(base);
  // A dead connection must not take away the memory of those that came after it.
  return file->inner->pMethods->xShmUnmap(file->inner, is_dead(file) ? 0 : remove);
}

// Version 2: no memory-mapped reading, which would pass by the faults.
const sqlite3_io_methods fault_io_methods = {
  .iVersion = 2,
  .xClose = fault_close,
  .xRead = fault_read,
  .xWrite = fault_write,
  .xTruncate = fault_truncate,
  .xSync = fault_sync,
  .xFileSize = fault_file_size,
  .xLock = fault_lock,
  .xUnlock = fault_unlock,
  .xCheckReservedLock = fault_check_reserved,
  .xFileControl = fault_control,
  .xSectorSize = fault_sector_size,
  .xDeviceCharacteristics = fault_characteristics,
  .xShmMap = fault_shm_map,
  .xShmLock = fault_shm_lock,
  .xShmBarrier = fault_shm_barrier,
  .xShmUnmap = fault_shm_unmap,
};
