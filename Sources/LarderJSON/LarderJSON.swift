/// JSON in and out, for feeds that are longer than memory should be.
///
/// The layer is small: a strict reader of RFC 8259 that is fed in chunks and keeps no more than its window
/// (``JSONReader``), types that read themselves from it (``JSONReadable``), the elements of an envelope while the rest is
/// on its way (``JSONElements``), a decoder for plain Codable types (``StrictJSONDecoder``), and an encoder whose bytes are
/// the same each time (``StableJSONEncoder``).
///
/// The folders: `Reader` is the window and what pulls from it, `Text` and `Numbers` are how strings and numbers are read,
/// `Direct` is what reads types without Codable, `Elements` streams, `Decoder` and `Encoder` are Codable. Only `Direct/Foundation`,
/// `Decoder` and `Encoder` know Foundation.
public enum LarderJSON {
  /// The media type of what is read and written (RFC 8259, section 11).
  public static let mediaType = "application/json"
}
