#include "CLarderTLS.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(BIO *bio) {
  char *bytes = NULL;
  long count = BIO_get_mem_data(bio, &bytes);
  char *text = malloc((size_t)count + 1);
  if (text) {
    memcpy(text, bytes, (size_t)count);
    text[count] = 0;
  }
  BIO_free(bio);
  return text;
}

static X509 *certificate_of(const char *pem) {
  BIO *bio = BIO_new_mem_buf(pem, -1);
  X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
  BIO_free(bio);
  return certificate;
}

static EVP_PKEY *key_of(const char *pem) {
  BIO *bio = BIO_new_mem_buf(pem, -1);
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
  BIO_free(bio);
  return key;
}

static int add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  if (!extension) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

int clt_identity_make(
    const char *common_name, const char *names, const clt_identity *issuer, int64_t begins, int64_t ends,
    clt_identity *made) {
  memset(made, 0, sizeof *made);
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = X509_new();
  X509 *issuer_certificate = issuer ? certificate_of(issuer->certificate) : NULL;
  EVP_PKEY *issuer_key = issuer ? key_of(issuer->key) : NULL;
  uint64_t serial = 0;
  int ok = key && certificate && (!issuer || (issuer_certificate && issuer_key)) &&
           RAND_bytes((unsigned char *)&serial, sizeof serial) == 1;
  if (ok) {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), (long)begins);
    X509_gmtime_adj(X509_getm_notAfter(certificate), (long)ends);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0);
    X509 *signer = issuer ? issuer_certificate : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer));
    ok = add_extension(certificate, signer, NID_basic_constraints, names ? "critical,CA:FALSE" : "critical,CA:TRUE") &&
         add_extension(certificate, signer, NID_subject_key_identifier, "hash") &&
         add_extension(
             certificate, signer, NID_key_usage, names ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign") &&
         (!names || add_extension(certificate, signer, NID_subject_alt_name, names)) &&
         X509_sign(certificate, issuer ? issuer_key : key, EVP_sha256()) > 0;
  }
  if (ok) {
    unsigned char *bytes = NULL;
    int count = i2d_PUBKEY(key, &bytes);
    unsigned int length = 0;
    ok = count > 0 && EVP_Digest(bytes, (size_t)count, made->public_key_hash, &length, EVP_sha256(), NULL) == 1;
    OPENSSL_free(bytes);
  }
  if (ok) {
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, certificate);
    made->certificate = text_of(bio);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    made->key = text_of(bio);
    ok = made->certificate && made->key;
  }
  EVP_PKEY_free(key);
  EVP_PKEY_free(issuer_key);
  X509_free(certificate);
  X509_free(issuer_certificate);
  return ok;
}

void clt_identity_free(clt_identity *identity) {
  free(identity->certificate);
  free(identity->key);
  memset(identity, 0, sizeof *identity);
}

/// Agrees to the one protocol that the server speaks, which is in the form of ALPN; to none where the client does not offer it.
static int choose_protocol(
    SSL *connection, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned int count,
    void *protocol) {
  (void)connection;
  const unsigned char *own = protocol;
  // Without a match, this chooses what the client has offered first.
  return SSL_select_next_proto((unsigned char **)chosen, length, own, own[0] + 1u, offered, count) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_NOACK;
}

void clt_server_speak(void *server, const unsigned char *protocol) {
  SSL_CTX_set_alpn_select_cb(server, choose_protocol, (void *)protocol);
}

void *clt_server_make(const char *certificate_text, const char *key_text) {
  // A write to a connection that has gone is an error, and must not end the program.
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  X509 *certificate = certificate_of(certificate_text);
  EVP_PKEY *key = key_of(key_text);
  int ok = context && certificate && key && SSL_CTX_use_certificate(context, certificate) == 1 &&
           SSL_CTX_use_PrivateKey(context, key) == 1;
  X509_free(certificate);
  EVP_PKEY_free(key);
  if (ok) return context;
  SSL_CTX_free(context);
  return NULL;
}

void clt_server_free(void *server) { SSL_CTX_free(server); }

// On a socket that blocks, whoever is to call again was interrupted by a signal.
static bool is_interrupted(SSL *connection, int result) {
  if (result > 0) return false;
  int error = SSL_get_error(connection, result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

void *clt_accept(void *server, int descriptor) {
  SSL *connection = SSL_new(server);
  if (!connection) return NULL;
  if (SSL_set_fd(connection, descriptor) == 1) {
    int result;
    do {
      ERR_clear_error();
      result = SSL_accept(connection);
    } while (is_interrupted(connection, result));
    if (result == 1) return connection;
  }
  SSL_free(connection);
  return NULL;
}

int clt_read(void *connection, void *buffer, int count) {
  int result;
  do {
    ERR_clear_error();
    result = SSL_read(connection, buffer, count);
  } while (is_interrupted(connection, result));
  return result;
}

int clt_write(void *connection, const void *bytes, int count) {
  int result;
  do {
    ERR_clear_error();
    result = SSL_write(connection, bytes, count);
  } while (is_interrupted(connection, result));
  return result;
}

void clt_finish(void *connection) { SSL_shutdown(connection); }
void clt_free(void *connection) { SSL_free(connection); }
