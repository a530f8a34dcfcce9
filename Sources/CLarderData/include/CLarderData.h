// What the Swift runtime and the C library have and the standard library does not say.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Retains an object unless its last reference has gone: then nil, while the memory is still there. The identity map
/// needs it, since an object may be released on another thread at the moment in which a fetch finds it.
void *_Nullable swift_tryRetain(void *_Nonnull object);

struct larder_pair {
  const void *_Nullable left;
  const void *_Nullable right;
};

/// The models that this thread compares just now by their class's own `==`.
struct larder_pair *_Nonnull larder_compared_models(void);

/// The values of relationships that end on this thread.
struct larder_endings {
  /// How many end within one another.
  int32_t depth;
  /// Those that wait for that; an object, of which a reference is counted.
  void *_Nullable postponed;
};

struct larder_endings *_Nonnull larder_endings(void);

/// The bytes that are left on the stack of the current thread.
ptrdiff_t larder_stack_room(void);

/// Runs a function on a thread with a stack of so many bytes, and waits for its end. Returns 0 where no such thread can be
/// had.
int larder_run_on_stack(size_t bytes, void (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);

enum {
  /// The body could not be run apart: nothing is known of it.
  LARDER_ATTEMPT_UNKNOWN,
  /// The body has returned another number than 0.
  LARDER_ATTEMPT_HOLDS,
  /// The body has returned 0.
  LARDER_ATTEMPT_DOES_NOT_HOLD,
  /// The body has ended its process, or had not come to an end after some seconds.
  LARDER_ATTEMPT_FAILED,
};

/// Runs a function in a copy of this process, as fork() makes it, and waits for its answer. What would end this program, or
/// keep it for ever, ends the copy, and whatever it changes is changed there.
int larder_attempt(int (*_Nonnull body)(void *_Nonnull context), void *_Nonnull context);
