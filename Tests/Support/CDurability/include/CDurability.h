// What a process notes about its saves in a page of memory that it shares with the one that kills it, and what a test's
// child process needs of the system that Swift does not reach.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct larder_marks larder_marks;

// Where a writer stands. A transaction is entered when BEGIN has returned and left when COMMIT begins.
enum {
  LARDER_OUTSIDE = 0,
  LARDER_BEGINNING = 1,
  LARDER_INSIDE = 2,
  LARDER_COMMITTING = 3,
  LARDER_ENDING = 4
};

// Maps the page in this file, and makes it. NULL when it cannot be.
larder_marks *larder_marks_map(const char *path);
void larder_marks_unmap(larder_marks *marks);

// The process stands before its first save, and found this one to be the last.
void larder_marks_ready(larder_marks *marks, int64_t save);
int64_t larder_marks_is_ready(const larder_marks *marks);
// The save is called; it has returned.
void larder_marks_begun(larder_marks *marks, int64_t save);
void larder_marks_returned(larder_marks *marks, int64_t save);
int64_t larder_marks_last_begun(const larder_marks *marks);
int64_t larder_marks_last_returned(const larder_marks *marks);
int64_t larder_marks_phase(const larder_marks *marks);
// Before another process is started on the same page.
void larder_marks_reset(larder_marks *marks, int64_t returned);

// Notes the transactions of an SQLite connection, by the statements that it runs.
void larder_marks_watch(larder_marks *marks, void *sqlite);

// Notes, of each connection to this file that is opened from now on, the transactions that are to write.
void larder_marks_watch_file(larder_marks *marks, const char *path);

// Ends this process after so many seconds, so that a child whose parent is gone does not stay.
void larder_limit_lifetime(unsigned seconds);
// From now on this process is nobody. 0, or -errno.
int larder_become_nobody(void);
// Whether the kernel may write a core of this process: PR_GET_DUMPABLE.
int larder_is_dumpable(void);
// Mounts an empty file system of so many bytes on this folder, for this process alone. 0, or -errno.
int larder_mount_small_disk(const char *folder, int64_t bytes);

/// Takes the disk away again, whatever is still open on it.
void larder_unmount_small_disk(const char *folder);

// Shows a folder in another one, where nothing can be written, for this process alone. 0, or -errno.
// larder_unmount_small_disk takes it away again.
int larder_mount_read_only(const char *folder, const char *there);

#ifdef __cplusplus
}
#endif
