// Reading and writing JSON, for feeds that are larger than memory.
//
// `JSONReader` is a strict reader of RFC 8259: it is fed in chunks and keeps only its window. On it build types that read
// themselves (`JSONReadable`), the elements of an envelope while the rest is still arriving (`JSONElementSequence`), and a decoder
// for plain Codable types (`StrictJSONDecoder`). `StableJSONEncoder` encodes; its bytes are the same each time.
//
// The folders: `Reader` has the window and the pull parser, `Text` and `Numbers` the parsing of strings and numbers, `Readable` the
// types that read themselves without Codable, `Elements` streams, `Decoder` and `Encoder` Codable. Only `Readable/Foundation`,
// `Decoder` and `Encoder` import Foundation.
//
// No symbol may have the name of the module: generated code says `LarderJSON.JSONReader`.
