public import LarderHTTP
public import LarderRecords

// The strict decoder and the stable encoder for requests, too: LarderHTTP knows nothing of LarderJSON.

/// Reads bodies strictly: `configuration.decoder = StrictJSONDecoder()`.
extension StrictJSONDecoder: BodyDecoder {}
/// Writes bodies whose bytes are the same each time: `configuration.encoder = StableJSONEncoder()`.
extension StableJSONEncoder: BodyEncoder {}
