extension JSONElementSequence where Element: Decodable {
  /// Creates a sequence of elements that a decoder decodes.
  ///
  /// ```swift
  /// for try await trip in JSONElementSequence(decoding: Trip.self, with: decoder, at: .lines, in: chunks) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - decoder: The decoder. Each pass over the sequence uses the decoder's strategies at its beginning.
  ///   - path: The place of the elements in the stream.
  ///   - chunks: The bytes of the stream, in chunks of any length.
  ///   - limits: The limits of the stream.
  ///   - malformedLines: The policy for malformed lines of JSON lines.
  public init(
    decoding type: Element.Type, with decoder: StrictJSONDecoder = StrictJSONDecoder(), at path: JSONElementPath,
    in chunks: Chunks, limits: JSONLimits = JSONLimits(), malformedLines: JSONMalformedLinePolicy = .fail
  ) {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) { decoder.makeElementDecoder(type) }
  }
}

extension StrictJSONDecoder {
  /// Returns a function that decodes one value after another, for ``JSONElementReader/next(_:)``. The function reuses its memory
  /// between values, so use one function for one stream.
  ///
  /// ```swift
  /// let read = decoder.makeElementDecoder(Trip.self)
  /// while case .element(let trip) = try reader.next(read) { … }
  /// ```
  public func makeElementDecoder<Value: Decodable>(_ type: Value.Type) -> (inout JSONReader) throws -> Value {
    var state = DecodingState(currentOptions)
    return { reader in try DecodingState.decode(type, with: &state, from: &reader) }
  }
}
