#pragma once

// What servers compress with, for tests of what takes it off again.

#include <stddef.h>
#include <stdint.h>

typedef enum { ENCODE_GZIP, ENCODE_ZLIB, ENCODE_BARE_DEFLATE, ENCODE_BROTLI, ENCODE_ZSTD } encoding;

/// Encodes `count` bytes into `space`, which have to be enough. Returns how many there are, or 0 for a failure.
size_t encode_by(encoding encoding, const uint8_t *bytes, size_t count, uint8_t *room, size_t space);
/// By zstd, with a window of 2^`window` bytes, however small the body is.
size_t encode_with_window(int window, const uint8_t *bytes, size_t count, uint8_t *room, size_t space);
