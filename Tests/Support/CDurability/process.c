#define _GNU_SOURCE
#include "CDurability.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

// The number of the user "nobody" on Linux, and of its group.
static const unsigned nobody = 65534;

void larder_limit_lifetime(unsigned seconds) { alarm(seconds); }

int larder_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int larder_become_nobody(void) {
  if (setgroups(0, NULL) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) return -errno;
  return 0;
}

int larder_mount_small_disk(const char *folder, int64_t bytes) {
  // Whoever is not root is root of a namespace of its own, where the system allows that.
  int namespaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
  if (unshare(namespaces) != 0) return -errno;
  // Where the root is no mount point of its own, in a chroot, nothing can be made private: the disk is taken away again
  // by larder_unmount_small_disk.
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 && errno != EINVAL) return -errno;
  char options[64];
  snprintf(options, sizeof options, "size=%lld,mode=0700", (long long)bytes);
  if (mount("larder", folder, "tmpfs", 0, options) != 0) return -errno;
  return 0;
}

void larder_unmount_small_disk(const char *folder) { umount2(folder, MNT_DETACH); }

int larder_mount_read_only(const char *folder, const char *there) {
  int namespaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
  if (unshare(namespaces) != 0) return -errno;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 && errno != EINVAL) return -errno;
  if (mount(folder, there, NULL, MS_BIND, NULL) != 0) return -errno;
  struct statvfs system;
  if (statvfs(there, &system) != 0) return -errno;
  // What the file system has of these may not be taken away in a namespace of its own.
  unsigned long kept = 0;
  if (system.f_flag & ST_NOSUID) kept |= MS_NOSUID;
  if (system.f_flag & ST_NODEV) kept |= MS_NODEV;
  if (system.f_flag & ST_NOEXEC) kept |= MS_NOEXEC;
  if (mount(NULL, there, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | kept, NULL) != 0) return -errno;
  return 0;
}
