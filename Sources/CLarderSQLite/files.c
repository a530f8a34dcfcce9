#define _GNU_SOURCE
#include "CLarderSQLite.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const mode_t file_mode = 0600;
static const mode_t folder_mode = 0700;

// The name must survive a power cut as surely as what SQLite will sync into the file.
static void sync_folder_of(const char *path) {
  char *folder = strdup(path);
  if (folder == NULL) return;
  char *slash = strrchr(folder, '/');
  const char *name = ".";
  if (slash == folder) name = "/";
  else if (slash != NULL) *slash = 0, name = folder;
  int descriptor = open(name, O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
  free(folder);
}

static int create_directly(const char *path) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, file_mode);
  if (descriptor < 0) return errno == EEXIST ? 1 : -errno;
  close(descriptor);
  return 0;
}

int larder_create_private_file(const char *path) {
  struct stat there;
  if (stat(path, &there) == 0) return 1;
  if (errno != ENOENT) return -errno;
  // Made under another name and then linked: when the file appears under its own, nothing of ours is left to close.
  size_t length = strlen(path);
  char *draft = malloc(length + 8);
  if (draft == NULL) return -ENOMEM;
  memcpy(draft, path, length);
  memcpy(draft + length, ".XXXXXX", 8);
  int result;
  int descriptor = mkstemp(draft);
  if (descriptor < 0) {
    result = -errno;
  } else {
    fchmod(descriptor, file_mode);
    fsync(descriptor);
    close(descriptor);
    if (link(draft, path) == 0) result = 0;
    else if (errno == EEXIST) result = 1;
    else if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS || errno == EACCES) result = create_directly(path);
    else result = -errno;
    unlink(draft);
  }
  free(draft);
  if (result == 0) sync_folder_of(path);
  return result;
}

int larder_create_private_folders(const char *file_path) {
  char *path = strdup(file_path);
  if (path == NULL) return -ENOMEM;
  int result = 0;
  for (char *slash = strchr(path + 1, '/'); slash != NULL && *path != 0; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, folder_mode) == 0) {
      sync_folder_of(path);
    } else {
      struct stat there;
      int error = errno;
      // Another process may have made it meanwhile; one that is there, but may not be written, is no obstacle.
      if (stat(path, &there) != 0) result = -error;
      else if (!S_ISDIR(there.st_mode)) result = -ENOTDIR;
      if (result != 0) break;
    }
    *slash = '/';
  }
  free(path);
  return result;
}

int larder_lock_alone(sqlite3 *db) {
  // SQLite has opened it for reading then. That it says so itself may be the damage.
  const char *path = sqlite3_db_filename(db, "main");
  if (path != NULL && *path != 0 && access(path, W_OK) != 0) return SQLITE_OK;
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (file == NULL || file->pMethods == NULL) return SQLITE_OK;
  // One after the other, as SQLite itself takes them. It knows of locks that this process has by other descriptors.
  static const int steps[] = {SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE};
  for (size_t step = 0; step < sizeof steps / sizeof *steps && code == SQLITE_OK; step++) {
    code = file->pMethods->xLock(file, steps[step]);
  }
  return code;
}
