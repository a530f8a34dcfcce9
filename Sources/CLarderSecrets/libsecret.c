#if defined(__linux__)

#include "libsecret.h"

#include <dlfcn.h>
#include <pthread.h>

static libsecret functions;
static int is_loaded;

static void load(void) {
  // Never closed: GLib's types and threads stay for as long as the process.
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  // GLib's own are found among what the library depends on.
#define FIND(result, name, parameters) \
  if (!(*(void **)&functions.name = dlsym(library, #name))) return;
  LIBSECRET_FUNCTIONS(FIND)
#undef FIND
  is_loaded = 1;
}

const libsecret *cls_libsecret(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded ? &functions : 0;
}

#endif
