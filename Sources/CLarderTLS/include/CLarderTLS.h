#pragma once

#include <stddef.h>
#include <stdint.h>

// Certificates that are made on the fly, and the server's side of TLS on a socket that blocks, by OpenSSL: its macros and
// types stay here.

/// A certificate, its key, and the SHA-256 of its SubjectPublicKeyInfo.
typedef struct {
  /// In PEM; freed by `clt_identity_free`.
  char *certificate;
  char *key;
  uint8_t public_key_hash[32];
} clt_identity;

/// Makes a key and a certificate for it.
///
/// `names` is as OpenSSL writes alternative names ("DNS:localhost,IP:127.0.0.1"); NULL makes an authority. `issuer` signs;
/// NULL for one that signs itself. The times are in seconds from now. Returns 0 where it cannot be made.
int clt_identity_make(
    const char *common_name, const char *names, const clt_identity *issuer, int64_t begins, int64_t ends,
    clt_identity *made);
void clt_identity_free(clt_identity *identity);

/// What a server needs to accept; NULL where the identity cannot be used.
void *clt_server_make(const char *certificate, const char *key);
void clt_server_free(void *server);
/// Which protocol it agrees to (RFC 7301): its length and its name. It must last as long as the server.
void clt_server_speak(void *server, const unsigned char *protocol);

/// Shakes hands on a socket; NULL where that fails.
void *clt_accept(void *server, int descriptor);
/// Bytes read, or 0 or less at the end.
int clt_read(void *connection, void *buffer, int count);
int clt_write(void *connection, const void *bytes, int count);
/// Tells the peer that nothing more comes.
void clt_finish(void *connection);
void clt_free(void *connection);
