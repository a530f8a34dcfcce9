extension DecodingError {
  /// 200 characters: a longer path says no more to whoever reads it.
  private static let maximumPathLength = 200

  /// The way to the value that failed, by keys and indexes: `payments[3].amount`.
  ///
  /// It goes into descriptions and logs, so that it has no key that came with the data, such as a name or an address in a
  /// dictionary: those are "…". The whole way is in the error itself.
  var path: String {
    let context: Context =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: Context(codingPath: [], debugDescription: "")
      }
    var keys = context.codingPath
    if case .keyNotFound(let key, _) = self { keys.append(key) }
    var text = ""
    for key in keys {
      if let index = key.arrayIndex {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + (key.isDeclared ? key.stringValue.singleLine : "…")
      }
    }
    return text.count > Self.maximumPathLength ? text.prefix(Self.maximumPathLength) + "…" : text
  }
}

extension CodingKey {
  /// The place in an array; nil for a key. A dictionary's number, which may be anybody's, is its key's text as well.
  fileprivate var arrayIndex: Int? { intValue.flatMap { stringValue == "Index \($0)" ? $0 : nil } }

  /// Whether it is one of the keys that a type declares. Those are cases without a value; what takes any text has one, or
  /// is a structure.
  fileprivate var isDeclared: Bool {
    let mirror = Mirror(reflecting: self)
    return mirror.displayStyle == .enum && mirror.children.isEmpty
  }
}
