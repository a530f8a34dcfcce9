extension JSONElementSequence where Element: Decodable {
  /// Elements that a decoder decodes.
  ///
  /// ```swift
  /// for try await trip in JSONElementSequence(decoding: Trip.self, with: decoder, at: .lines, in: chunks) { … }
  /// ```
  public init(
    decoding type: Element.Type, with decoder: StrictJSONDecoder = StrictJSONDecoder(), at path: JSONElementPath,
    in chunks: Chunks, limits: JSONLimits = JSONLimits(), malformedLines: JSONMalformedLinePolicy = .fail
  ) {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) { decoder.makeElementDecoder(type) }
  }
}

extension StrictJSONDecoder {
  /// A function that decodes one value after another, for ``JSONElementReader/next(_:)``. It keeps its memory between them,
  /// so one of it is for one stream.
  ///
  /// ```swift
  /// let read = decoder.elementReading(Trip.self)
  /// while case .element(let trip) = try reader.next(read) { … }
  /// ```
  public func makeElementDecoder<Value: Decodable>(_ type: Value.Type) -> (inout JSONReader) throws -> Value {
    var state = DecodingState(currentOptions)
    return { reader in try DecodingState.decode(type, with: &state, from: &reader) }
  }
}
