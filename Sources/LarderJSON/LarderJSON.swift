// JSON in and out, for feeds that are longer than memory should be.
//
// A strict reader of RFC 8259 is fed in chunks and keeps no more than its window (`JSONReader`). On it stand types that read
// themselves (`JSONReadable`), the elements of an envelope while the rest is on its way (`JSONElementSequence`), and a decoder for
// plain Codable types (`StrictJSONDecoder`). `StableJSONEncoder` is the way back; its bytes are the same each time.
//
// The folders: `Reader` is the window and what pulls from it, `Text` and `Numbers` are how strings and numbers are read,
// `Direct` is what reads types without Codable, `Elements` streams, `Decoder` and `Encoder` are Codable. Only
// `Direct/Foundation`, `Decoder` and `Encoder` know Foundation.
//
// Nothing here may be named as the module is: generated code says `LarderJSON.JSONReader`.
