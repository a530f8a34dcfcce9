#include "CLarderSecrets.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>

/// Nothing is to be taken apart when the process ends, while threads may still be ending that have used OpenSSL. As the
/// program begins, since it holds only for who is the first to use it.
__attribute__((constructor)) static void keep_openssl(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

void cls_wipe(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

int cls_equal(const void *one, const void *other, size_t count) { return CRYPTO_memcmp(one, other, count) == 0; }

int cls_random(void *bytes, size_t count) {
  return count <= INT_MAX && RAND_priv_bytes(bytes, (int)count) == 1;
}

int cls_derive(
    const void *key, size_t key_count, const void *salt, size_t salt_count, const char *purpose, void *derived,
    size_t count) {
  EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
  EVP_KDF_free(kdf);
  if (!context) return 0;
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)purpose, strlen(purpose)),
      OSSL_PARAM_construct_end(),
  };
  int ok = EVP_KDF_derive(context, derived, count, parameters) == 1;
  EVP_KDF_CTX_free(context);
  return ok;
}

int cls_scrypt(
    const void *passphrase, size_t passphrase_count, const void *salt, size_t salt_count, uint32_t log2_n, uint32_t r,
    uint32_t p, void *key, size_t key_count) {
  if (log2_n == 0 || log2_n > 31) return 0;
  uint64_t n = (uint64_t)1 << log2_n;
  // OpenSSL refuses what takes more, and by default that is 32 MiB.
  uint64_t most = 128 * (uint64_t)r * (n + p + 2) + 4096;
  return EVP_PBE_scrypt(passphrase, passphrase_count, salt, salt_count, n, r, p, most, key, key_count) == 1;
}

int cls_sha256(const void *bytes, size_t count, void *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1;
}

int cls_seal(
    const void *key, const void *nonce, const void *header, size_t header_count, const void *plain, size_t count,
    void *sealed, void *tag) {
  if (count > INT_MAX || header_count > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0, rest = 0;
  // The nonce has the length that GCM takes by default, CLS_NONCE.
  int ok = context && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
           EVP_EncryptUpdate(context, NULL, &written, header, (int)header_count) == 1 &&
           EVP_EncryptUpdate(context, sealed, &written, plain, (int)count) == 1 &&
           EVP_EncryptFinal_ex(context, (unsigned char *)sealed + written, &rest) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, CLS_TAG, tag) == 1;
  EVP_CIPHER_CTX_free(context);
  return ok && (size_t)(written + rest) == count;
}

int cls_open(
    const void *key, const void *nonce, const void *header, size_t header_count, const void *sealed, size_t count,
    const void *tag, void *plain) {
  if (count > INT_MAX || header_count > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0, rest = 0;
  int ok = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
           EVP_DecryptUpdate(context, NULL, &written, header, (int)header_count) == 1 &&
           EVP_DecryptUpdate(context, plain, &written, sealed, (int)count) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, CLS_TAG, (void *)tag) == 1 &&
           EVP_DecryptFinal_ex(context, (unsigned char *)plain + written, &rest) == 1;
  EVP_CIPHER_CTX_free(context);
  ok = ok && (size_t)(written + rest) == count;
  // What has not been authenticated is nobody's to read.
  if (!ok) OPENSSL_cleanse(plain, count);
  return ok;
}
