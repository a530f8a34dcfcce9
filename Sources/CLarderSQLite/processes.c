#define _GNU_SOURCE
#include "CLarderSQLite.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

// MARK: - Commits

// One page of the wal-index, and where the count lies in it: https://sqlite.org/walformat.html, "The WAL-Index Header".
enum { index_page_size = 32768, change_counter_word = 2 };

int larder_commit_count(sqlite3 *db, uint32_t *count) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  if (file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 2) return 0;
  void volatile *page = NULL;
  int code = file->pMethods->xShmMap(file, 0, index_page_size, 0, &page);
  // A process that may only read has the page all the same.
  if ((code != SQLITE_OK && code != SQLITE_READONLY) || page == NULL) return 0;
  *count = __atomic_load_n((volatile uint32_t *)page + change_counter_word, __ATOMIC_ACQUIRE);
  return 1;
}

// MARK: - The file by which processes meet

// The first byte is written to; the locks of others say who wants to be told, and whose turn it is.
enum { listening_byte = 1, turn_byte = 2 };

int larder_meeting_open(const char *path, const char *beside, int create) {
  struct stat model;
  if (stat(beside, &model) != 0) return -errno;
  mode_t mode = model.st_mode & 0666;
  // First without making it: in some folders the file of another user may be opened, but not by those who would make it.
  int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0 && errno == ENOENT && create) {
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, mode);
  }
  if (descriptor < 0) return -errno;
  struct stat there;
  if (fstat(descriptor, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size > 1 || there.st_nlink != 1) {
    // It has the name, but is something else.
    close(descriptor);
    return -EEXIST;
  }
  // Whoever may use the database may use this, whatever the mask of the process that made it.
  if (there.st_uid == geteuid()) {
    // As SQLite does it for the log: a file of root's beside somebody's database is that user's.
    if (geteuid() == 0 && model.st_uid != there.st_uid && fchown(descriptor, model.st_uid, model.st_gid) != 0) {
      close(descriptor);
      return -EACCES;
    }
    if ((there.st_mode & 0666) != mode) fchmod(descriptor, mode);
  }
  return descriptor;
}

int larder_meeting_is_linked(int descriptor) {
  struct stat there;
  return fstat(descriptor, &there) == 0 && there.st_nlink > 0;
}

#ifdef F_OFD_SETLK

static struct flock lock_of(short type, off_t byte) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

int larder_meeting_listen(int descriptor, int listens) {
  struct flock lock = lock_of(listens ? F_RDLCK : F_UNLCK, listening_byte);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

int larder_meeting_is_heard(int descriptor) {
  struct flock lock = lock_of(F_WRLCK, listening_byte);
  // In doubt it is said.
  return fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

int larder_meeting_take_turn(int descriptor) {
  struct flock lock = lock_of(F_WRLCK, turn_byte);
  if (fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return 1;
  return errno == EAGAIN || errno == EACCES ? 0 : -errno;
}

int larder_meeting_is_turn_taken(int descriptor) {
  struct flock lock = lock_of(F_WRLCK, turn_byte);
  // In doubt it is said.
  return fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

void larder_meeting_end_turn(int descriptor) {
  struct flock lock = lock_of(F_UNLCK, turn_byte);
  fcntl(descriptor, F_OFD_SETLK, &lock);
}

#else

// Without locks that belong to a descriptor everybody is told, and nobody queues.
int larder_meeting_listen(int descriptor, int listens) { return 0; }
int larder_meeting_is_heard(int descriptor) { return 1; }
int larder_meeting_take_turn(int descriptor) { return -ENOTSUP; }
int larder_meeting_is_turn_taken(int descriptor) { return 1; }
void larder_meeting_end_turn(int descriptor) {}

#endif

void larder_meeting_tell(int descriptor) {
  // What fails here is found by those who look from time to time.
  if (pwrite(descriptor, "", 1, 0) < 0) return;
}

// MARK: - Being told

#ifdef __linux__

int larder_notice_open(const char *path) {
  int notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (notices < 0) return -errno;
  if (inotify_add_watch(notices, path, IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF) < 0) {
    int error = errno;
    close(notices);
    return -error;
  }
  return notices;
}

void larder_notice_drain(int notices) {
  char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  while (read(notices, events, sizeof events) > 0) {
  }
}

#else

int larder_notice_open(const char *path) { return -ENOTSUP; }
void larder_notice_drain(int notices) {}

#endif
