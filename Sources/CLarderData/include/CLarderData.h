// What the Swift runtime exports and the standard library does not say.
#pragma once

/// Retains an object unless its last reference has gone: then nil, while the memory is still there. The identity map
/// needs it, since an object may be released on another thread at the moment in which a fetch finds it.
void *_Nullable swift_tryRetain(void *_Nonnull object);

struct larder_pair {
  const void *_Nullable left;
  const void *_Nullable right;
};

/// The models that this thread compares just now by their class's own `==`.
struct larder_pair *_Nonnull larder_compared_models(void);
