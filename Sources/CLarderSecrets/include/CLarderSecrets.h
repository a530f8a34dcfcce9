#pragma once

#include <stddef.h>
#include <stdint.h>

// OpenSSL's ciphers, libsecret by dlopen, and what a process asks of its kernel: their macros and types stay here.
// Functions that return int return 1 where they succeeded, and 0 where not.

// MARK: - Memory

/// Overwrites, also where the compiler sees that nobody reads it again.
void cls_wipe(void *bytes, size_t count);
/// Whether they are equal, in a time that does not depend on where they differ.
int cls_equal(const void *one, const void *other, size_t count);
int cls_random(void *bytes, size_t count);

// MARK: - Ciphers

enum { CLS_KEY = 32, CLS_NONCE = 12, CLS_TAG = 16 };

/// HKDF by SHA-256.
int cls_derive(
    const void *key, size_t key_count, const void *salt, size_t salt_count, const char *purpose, void *derived,
    size_t count);
/// scrypt with N = 2^log2_n; it may take 128 * r * (N + p) bytes and a little more.
int cls_scrypt(
    const void *passphrase, size_t passphrase_count, const void *salt, size_t salt_count, uint32_t log2_n, uint32_t r,
    uint32_t p, void *key, size_t key_count);
int cls_sha256(const void *bytes, size_t count, void *digest);
/// AES-256-GCM. The ciphertext is as long as the plaintext.
int cls_seal(
    const void *key, const void *nonce, const void *header, size_t header_count, const void *plain, size_t count,
    void *sealed, void *tag);
/// The other way. Where it fails, nothing is left in `plain`.
int cls_open(
    const void *key, const void *nonce, const void *header, size_t header_count, const void *sealed, size_t count,
    const void *tag, void *plain);

// MARK: - The process

/// From now on this process leaves no core, and no other process of its user may look into it. 0, or errno.
int cls_harden_process(void);

// MARK: - The Secret Service

#if defined(__linux__)

typedef enum {
  CLS_DONE = 0,
  /// There is no such library.
  CLS_NO_LIBRARY,
  /// The bus cannot be reached.
  CLS_NO_BUS,
  /// Nobody on the bus answers to the service's name.
  CLS_NO_SERVICE,
  /// The service has no keyring, and to make one would ask its user.
  CLS_NO_KEYRING,
  CLS_LOCKED,
  /// The user closed the question.
  CLS_DISMISSED,
  /// It was cancelled: the time is over, or nobody waits any more.
  CLS_CANCELLED,
  /// Anything else: `domain` and `code` say what.
  CLS_FAILED,
} cls_outcome;

typedef struct {
  int32_t code;
  char domain[64];
} cls_failure;

/// What ends a call from another thread; NULL where there is no library.
void *cls_cancellable_make(void);
void cls_cancellable_cancel(void *cancellable);
void cls_cancellable_free(void *cancellable);

/// Whether the library is there.
int cls_service_load(void);
/// Whether the service answers and has a keyring, locked or not.
cls_outcome cls_service_connect(void *cancellable, cls_failure *failure);
/// `bytes` is NULL where there is no such secret; else it is freed by `cls_bytes_free`, which wipes it.
cls_outcome cls_service_lookup(
    const char *service, const char *account, int prompts, void *cancellable, void **bytes, size_t *count,
    cls_failure *failure);
cls_outcome cls_service_store(
    const char *service, const char *account, const char *label, const void *bytes, size_t count, int prompts,
    void *cancellable, cls_failure *failure);
cls_outcome cls_service_remove(
    const char *service, const char *account, int prompts, void *cancellable, cls_failure *failure);
/// Calls back with each account of a service.
cls_outcome cls_service_accounts(
    const char *service, int prompts, void *cancellable, void (*found)(const char *account, void *context),
    void *context, cls_failure *failure);
void cls_bytes_free(void *bytes, size_t count);

#endif
