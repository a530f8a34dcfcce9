extension JSONElements where Element: Decodable {
  /// Elements that a decoder decodes.
  ///
  /// ```swift
  /// for try await trip in JSONElements(decoding: Trip.self, with: decoder, at: .lines, in: chunks) { … }
  /// ```
  public init(
    decoding type: Element.Type, with decoder: StrictJSONDecoder = StrictJSONDecoder(), at path: JSONElementPath,
    in chunks: Chunks, limits: JSONLimits = JSONLimits(), malformedLines: JSONMalformedLines = .fail
  ) {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) { decoder.elementReading(type) }
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
  public func elementReading<Value: Decodable>(_ type: Value.Type) -> (inout JSONReader) throws -> Value {
    var state = DecodingState(currentOptions)
    return { reader in try DecodingState.decode(type, with: &state, from: &reader) }
  }
}
