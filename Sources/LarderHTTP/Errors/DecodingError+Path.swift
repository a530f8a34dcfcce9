extension DecodingError {
  /// 200 characters: a longer path says no more to its reader.
  private static let maximumPathLength = 200

  /// The path to the value that failed, of keys and indexes: `payments[3].amount`.
  ///
  /// It is for descriptions and logs. So it shows "…" for a key that came with the data, such as a name or an address in a
  /// dictionary. The whole path is in the error itself.
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
  /// The index in an array, or nil for a key. A dictionary's number, which is data of the sender, has its own text as its key.
  fileprivate var arrayIndex: Int? { intValue.flatMap { stringValue == "Index \($0)" ? $0 : nil } }

  /// Whether the key is one that a type declares. Such keys are enumeration cases without a value; a key for any text has a
  /// value, or is a structure.
  fileprivate var isDeclared: Bool {
    let mirror = Mirror(reflecting: self)
    return mirror.displayStyle == .enum && mirror.children.isEmpty
  }
}
