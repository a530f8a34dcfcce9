// A file system layer for SQLite that fails on purpose: for tests.
//
// It stands on the system's own VFS and writes to real files. Beside them it keeps, in memory, what was there before
// each write that has not been synced, so that a power cut can undo, keep or tear each of them.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fault_vfs fault_vfs;

// Kinds of operations; masks are sums of them. Releasing a lock or closing a file is never counted and never fails.
enum {
  FAULT_READ = 1,
  FAULT_WRITE = 2,
  FAULT_SYNC = 4,
  FAULT_TRUNCATE = 8,
  FAULT_OPEN = 16,
  FAULT_DELETE = 32,
  FAULT_LOCK = 64,
  FAULT_SHARED_MEMORY = 128,
  FAULT_RENAME = 256,
  FAULT_ANY = 511
};

// Registers a VFS by this name. NULL when memory is short.
fault_vfs *fault_vfs_create(const char *name);
// 0 when gone; 1, and nothing done, while files are open.
int fault_vfs_destroy(fault_vfs *vfs);

// The n-th operation (from 1) of the mask from now on fails with the code; all later ones too if `repeating`.
// SQLITE_IOERR becomes the extended code of the operation.
void fault_vfs_fail(fault_vfs *vfs, uint32_t mask, int64_t nth, int code, int repeating);
// The power goes at the n-th operation of the mask from now on. A write under way is among those that may be torn.
void fault_vfs_cut_power_at(fault_vfs *vfs, uint32_t mask, int64_t nth);
void fault_vfs_clear_plan(fault_vfs *vfs);
// How often the plan has struck.
int64_t fault_vfs_strikes(fault_vfs *vfs);

// The bytes that all files together may have; negative for no quota.
void fault_vfs_set_quota(fault_vfs *vfs, int64_t bytes);
int64_t fault_vfs_used_bytes(fault_vfs *vfs);

// Operations since the last reset.
int64_t fault_vfs_count(fault_vfs *vfs, uint32_t mask);
void fault_vfs_reset_counts(fault_vfs *vfs);
int64_t fault_vfs_open_files(fault_vfs *vfs);
// Writes, truncations, creations and deletions that a power cut could still undo.
int64_t fault_vfs_unsynced(fault_vfs *vfs);

// A file is about to take another's name, past SQLite: what was not synced of it goes along, and the name itself may be
// lost until the folder is synced. 0, or the system's number of the error with which that fails.
int fault_vfs_rename(fault_vfs *vfs, const char *from, const char *to);
// The folder was synced, past SQLite.
void fault_vfs_sync_folder(fault_vfs *vfs, const char *folder);

// From now on everything fails; whatever is open is dead for good.
void fault_vfs_cut_power(fault_vfs *vfs);
int fault_vfs_is_without_power(fault_vfs *vfs);
// Leaves the files as the disk would have them after the cut, by the seed, and lets new connections work.
// 0, or -errno when a file could not be written.
int fault_vfs_restore_power(fault_vfs *vfs, uint64_t seed);

#ifdef __cplusplus
}
#endif
