#include "CLarderHTTP.h"

#if defined(__linux__)

#include <brotli/decode.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

typedef enum {
  /// Nothing has come.
  BEFORE_STREAM,
  /// In the midst of a stream.
  IN_STREAM,
  /// A stream is over; another one may follow.
  BETWEEN_STREAMS,
  /// The stream is over, and what follows is none of it.
  FINISHED
} place;

struct clh_decoder {
  clh_coding coding;
  place place;
  union {
    z_stream zlib;
    BrotliDecoderState *brotli;
    ZSTD_DStream *zstd;
  };
  bool has_zlib;
  /// The first byte of a "deflate", by which alone nobody knows which of the two forms it has.
  uint8_t first;
  bool has_first;
};

/// 8 MiB, the largest window that a content coding may have (RFC 9659, section 3).
static const int largest_zstd_window = 23;

clh_decoder *clh_decoder_open(clh_coding coding) {
  clh_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->coding = coding;
  bool is_ready = true;
  switch (coding) {
  case CLH_CODING_GZIP:
    is_ready = decoder->has_zlib = inflateInit2(&decoder->zlib, MAX_WBITS + 16) == Z_OK;
    break;
  case CLH_CODING_DEFLATE: break;
  case CLH_CODING_BROTLI: is_ready = (decoder->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL)); break;
  case CLH_CODING_ZSTD:
    decoder->zstd = ZSTD_createDStream();
    is_ready = decoder->zstd &&
               !ZSTD_isError(ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, largest_zstd_window));
    break;
  }
  if (is_ready) return decoder;
  clh_decoder_close(decoder);
  return NULL;
}

void clh_decoder_close(clh_decoder *decoder) {
  if (!decoder) return;
  switch (decoder->coding) {
  case CLH_CODING_GZIP:
  case CLH_CODING_DEFLATE:
    if (decoder->has_zlib) inflateEnd(&decoder->zlib);
    break;
  case CLH_CODING_BROTLI:
    if (decoder->brotli) BrotliDecoderDestroyInstance(decoder->brotli);
    break;
  case CLH_CODING_ZSTD: ZSTD_freeDStream(decoder->zstd); break;
  }
  free(decoder);
}

bool clh_decoder_is_whole(const clh_decoder *decoder) { return decoder->place != IN_STREAM; }

/// What is read and what is written in one call.
typedef struct {
  const uint8_t *input;
  size_t left;
  uint8_t *room;
  size_t space;
} work;

static clh_decoding inflate_some(z_stream *zlib, work *work, int *result) {
  do {
    // Both counts of zlib's are of 32 bits.
    uInt left = work->left < UINT_MAX ? (uInt)work->left : UINT_MAX;
    uInt space = work->space < UINT_MAX ? (uInt)work->space : UINT_MAX;
    zlib->next_in = (Bytef *)work->input;
    zlib->avail_in = left;
    zlib->next_out = work->room;
    zlib->avail_out = space;
    *result = inflate(zlib, Z_NO_FLUSH);
    work->input += left - zlib->avail_in;
    work->left -= left - zlib->avail_in;
    work->room += space - zlib->avail_out;
    work->space -= space - zlib->avail_out;
  } while (*result == Z_OK && work->left && work->space);
  switch (*result) {
  case Z_OK:
  case Z_STREAM_END:
  // Nothing to read, or no room: no failure.
  case Z_BUF_ERROR: return CLH_DECODED;
  case Z_MEM_ERROR: return CLH_DECODING_NO_MEMORY;
  default: return CLH_DECODING_DAMAGED;
  }
}

/// Members of gzip, one after the other (RFC 1952, section 2.2). What follows them and is none is left out, as padding.
static clh_decoding decode_gzip(clh_decoder *decoder, work *work) {
  for (;;) {
    // Padding of zeros, as of tapes, behind which a member may follow.
    while (decoder->place == BETWEEN_STREAMS && work->left && !work->input[0]) {
      work->input++;
      work->left--;
    }
    if (decoder->place == BETWEEN_STREAMS && work->left) {
      bool is_member = work->input[0] == 0x1F;
      if (is_member && inflateReset(&decoder->zlib) != Z_OK) return CLH_DECODING_DAMAGED;
      decoder->place = is_member ? IN_STREAM : FINISHED;
    }
    if (decoder->place == BETWEEN_STREAMS || decoder->place == FINISHED) return CLH_DECODED;
    if (work->left) decoder->place = IN_STREAM;
    int result;
    clh_decoding decoding = inflate_some(&decoder->zlib, work, &result);
    if (result != Z_STREAM_END) return decoding;
    decoder->place = BETWEEN_STREAMS;
  }
}

/// "deflate" is the format of zlib (RFC 9110, section 8.4.1.2), where some servers send the bare one.
static clh_decoding decode_deflate(clh_decoder *decoder, work *work) {
  if (decoder->place == FINISHED) return CLH_DECODED;
  int result;
  if (!decoder->has_zlib) {
    if (!decoder->has_first && work->left) {
      decoder->first = *work->input++;
      work->left--;
      decoder->has_first = true;
      decoder->place = IN_STREAM;
    }
    if (!work->left) return CLH_DECODED;
    unsigned header = (unsigned)decoder->first << 8 | work->input[0];
    bool is_zlib = (decoder->first & 0x0F) == Z_DEFLATED && decoder->first >> 4 <= 7 && header % 31 == 0;
    decoder->has_zlib = inflateInit2(&decoder->zlib, is_zlib ? MAX_WBITS : -MAX_WBITS) == Z_OK;
    if (!decoder->has_zlib) return CLH_DECODING_NO_MEMORY;
    struct { const uint8_t *input; size_t left; } rest = {work->input, work->left};
    work->input = &decoder->first;
    work->left = 1;
    clh_decoding decoding = inflate_some(&decoder->zlib, work, &result);
    work->input = rest.input;
    work->left = rest.left;
    if (decoding != CLH_DECODED) return decoding;
  }
  clh_decoding decoding = inflate_some(&decoder->zlib, work, &result);
  if (result == Z_STREAM_END) decoder->place = FINISHED;
  return decoding;
}

static clh_decoding decode_brotli(clh_decoder *decoder, work *work) {
  if (decoder->place == FINISHED) return CLH_DECODED;
  if (work->left) decoder->place = IN_STREAM;
  switch (BrotliDecoderDecompressStream(
      decoder->brotli, &work->left, &work->input, &work->space, &work->room, NULL)) {
  case BROTLI_DECODER_RESULT_SUCCESS: decoder->place = FINISHED; return CLH_DECODED;
  case BROTLI_DECODER_RESULT_ERROR: {
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder->brotli);
    bool is_memory =
        code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return is_memory ? CLH_DECODING_NO_MEMORY : CLH_DECODING_DAMAGED;
  }
  default: return CLH_DECODED;
  }
}

/// Frames, one after the other (RFC 8878, section 3.1).
static clh_decoding decode_zstd(clh_decoder *decoder, work *work) {
  do {
    if (!work->left && decoder->place != IN_STREAM) return CLH_DECODED;
    ZSTD_inBuffer input = {work->input, work->left, 0};
    ZSTD_outBuffer room = {work->room, work->space, 0};
    size_t result = ZSTD_decompressStream(decoder->zstd, &room, &input);
    work->input += input.pos;
    work->left -= input.pos;
    work->room += room.pos;
    work->space -= room.pos;
    if (ZSTD_isError(result)) {
      bool is_memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
      return is_memory ? CLH_DECODING_NO_MEMORY : CLH_DECODING_DAMAGED;
    }
    decoder->place = result == 0 ? BETWEEN_STREAMS : IN_STREAM;
  } while (work->left && work->space);
  return CLH_DECODED;
}

clh_decoding clh_decoder_decode(
    clh_decoder *decoder, const uint8_t *input, size_t count, size_t *taken, uint8_t *room, size_t space, size_t *made) {
  work work = {input, count, room, space};
  clh_decoding decoding = CLH_DECODING_DAMAGED;
  switch (decoder->coding) {
  case CLH_CODING_GZIP: decoding = decode_gzip(decoder, &work); break;
  case CLH_CODING_DEFLATE: decoding = decode_deflate(decoder, &work); break;
  case CLH_CODING_BROTLI: decoding = decode_brotli(decoder, &work); break;
  case CLH_CODING_ZSTD: decoding = decode_zstd(decoder, &work); break;
  }
  *made = space - work.space;
  // What follows the stream is taken, and dropped.
  *taken = decoder->place == FINISHED ? count : count - work.left;
  // Who neither takes nor makes anything would be asked for ever.
  if (decoding == CLH_DECODED && count && !*taken && !*made) return CLH_DECODING_DAMAGED;
  return decoding;
}

#endif
