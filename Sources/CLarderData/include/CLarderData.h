// What the Swift runtime exports and the standard library does not say.
#pragma once

/// Retains an object unless its last reference has gone: then nil, while the memory is still there. The identity map
/// needs it, since an object may be released on another thread at the moment in which a fetch finds it.
void *_Nullable swift_tryRetain(void *_Nonnull object);
