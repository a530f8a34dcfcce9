#include "CEncoders.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

static size_t deflated(int window, const uint8_t *bytes, size_t count, uint8_t *room, size_t space) {
  z_stream stream = {0};
  if (deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = room;
  stream.avail_out = (uInt)space;
  int result = deflate(&stream, Z_FINISH);
  size_t made = stream.total_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? made : 0;
}

size_t encode_with_window(int window, const uint8_t *bytes, size_t count, uint8_t *room, size_t space) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  if (!context) return 0;
  if (window) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_inBuffer input = {bytes, count, 0};
  ZSTD_outBuffer output = {room, space, 0};
  // First without the end, so that its size is not known and the header has a window.
  size_t left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  if (!ZSTD_isError(left)) left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  return left == 0 ? output.pos : 0;
}

size_t encode_by(encoding encoding, const uint8_t *bytes, size_t count, uint8_t *room, size_t space) {
  switch (encoding) {
  case ENCODE_GZIP: return deflated(MAX_WBITS + 16, bytes, count, room, space);
  case ENCODE_ZLIB: return deflated(MAX_WBITS, bytes, count, room, space);
  case ENCODE_BARE_DEFLATE: return deflated(-MAX_WBITS, bytes, count, room, space);
  case ENCODE_BROTLI: {
    size_t made = space;
    return BrotliEncoderCompress(5, 18, BROTLI_MODE_TEXT, count, bytes, &made, room) ? made : 0;
  }
  case ENCODE_ZSTD: return encode_with_window(0, bytes, count, room, space);
  }
  return 0;
}
