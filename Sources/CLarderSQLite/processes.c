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

// One page of the wal-index, and where things lie in it, in words of 32 bits: https://sqlite.org/walformat.html, "The
// WAL-Index Header". The size of a page has 16 bits, of which 1 means 65,536.
enum { index_page_size = 32768 };
enum {
  change_counter_word = 2,
  page_size_halfword = 7,
  frames_word = 4,
  salts_word = 8,
  moved_word = 24,
  moving_word = 32
};

static volatile uint32_t *log_index(sqlite3 *db) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return NULL;
  if (file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 2) return NULL;
  void volatile *page = NULL;
  int code = file->pMethods->xShmMap(file, 0, index_page_size, 0, &page);
  // A process that may only read has the page all the same.
  if (code != SQLITE_OK && code != SQLITE_READONLY) return NULL;
  return page;
}

int larder_commit_count(sqlite3 *db, uint32_t *count) {
  volatile uint32_t *index = log_index(db);
  if (index == NULL) return 0;
  *count = __atomic_load_n(index + change_counter_word, __ATOMIC_ACQUIRE);
  return 1;
}

int larder_read_log_state(sqlite3 *db, larder_log_state *state) {
  volatile uint32_t *index = log_index(db);
  if (index == NULL) return 0;
  state->changes = __atomic_load_n(index + change_counter_word, __ATOMIC_ACQUIRE);
  state->frames = __atomic_load_n(index + frames_word, __ATOMIC_ACQUIRE);
  state->salts[0] = __atomic_load_n(index + salts_word, __ATOMIC_ACQUIRE);
  state->salts[1] = __atomic_load_n(index + salts_word + 1, __ATOMIC_ACQUIRE);
  state->moved = __atomic_load_n(index + moved_word, __ATOMIC_ACQUIRE);
  state->moving = __atomic_load_n(index + moving_word, __ATOMIC_ACQUIRE);
  uint16_t size = __atomic_load_n((volatile uint16_t *)index + page_size_halfword, __ATOMIC_ACQUIRE);
  state->page_size = (size & 0xfe00u) + ((size & 1u) << 16);
  return 1;
}

static int read_beginning(sqlite3 *db, int which, void *bytes, int count) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(db, "main", which, &file) != SQLITE_OK || file == NULL || file->pMethods == NULL) return 0;
  return file->pMethods->xRead(file, bytes, count, 0) == SQLITE_OK;
}

int larder_read_file_beginning(sqlite3 *db, void *bytes, int count) {
  return read_beginning(db, SQLITE_FCNTL_FILE_POINTER, bytes, count);
}

int larder_read_log_beginning(sqlite3 *db, void *bytes, int count) {
  return read_beginning(db, SQLITE_FCNTL_JOURNAL_POINTER, bytes, count);
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
