#include "CLarderSecrets.h"

#include <errno.h>
#include <sys/resource.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

int cls_harden_process(void) {
  // The hard limit, too, so that nothing in this process or begun by it raises it again.
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
#if defined(__linux__)
  // The limit does not hold where cores are piped to a program; this does.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
#endif
  return 0;
}
