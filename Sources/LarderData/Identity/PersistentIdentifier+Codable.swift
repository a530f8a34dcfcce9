import Foundation

// Encoded like Apple's identifiers, from which custom data stores read the primary key:
//
//   {"implementation": {"entityName": "Trip", "isTemporary": false, "primaryKey": 42, "storeIdentifier": "…"}}
//
// In a store's columns, and in data encoded by earlier versions, an identifier is {"entity", "key" or "name", "saved", "store"}.
extension PersistentIdentifier {
  private enum CodingKeys: String, CodingKey {
    case implementation
  }

  private enum Implementation: String, CodingKey {
    case entityName, isTemporary, primaryKey, storeIdentifier
  }

  private enum ColumnKeys: String, CodingKey {
    case store, entity, key, name, saved
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard values.contains(.implementation) else {
      try self.init(column: decoder)
      return
    }
    let inner = try values.nestedContainer(keyedBy: Implementation.self, forKey: .implementation)
    let entity = try inner.decode(String.self, forKey: .entityName)
    let store = try inner.decodeIfPresent(String.self, forKey: .storeIdentifier)
    let isSaved = try !(inner.decodeIfPresent(Bool.self, forKey: .isTemporary) ?? false)
    if let key = try? inner.decode(Int64.self, forKey: .primaryKey) {
      self.init(store, entity, key: key, isSaved: isSaved)
      return
    }
    let text = try inner.decode(String.self, forKey: .primaryKey)
    guard let store, !text.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .primaryKey, in: inner,
        debugDescription:
          "a primary key that is a text names a row of a store, and there is no \(text.isEmpty ? "text" : "store")")
    }
    self.init(named: text, store, entity, isSaved: isSaved)
  }

  private init(column decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: ColumnKeys.self)
    let store = try values.decodeIfPresent(String.self, forKey: .store)
    let entity = try values.decode(String.self, forKey: .entity)
    let isSaved = try values.decode(Bool.self, forKey: .saved)
    if let store, let name = try values.decodeIfPresent(String.self, forKey: .name) {
      self.init(named: name, store, entity, isSaved: isSaved)
    } else {
      self.init(store, entity, key: try values.decode(Int64.self, forKey: .key), isSaved: isSaved)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if encoder.userInfo[.isColumnCoding] != nil {
      try encodeColumn(to: encoder)
      return
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    var inner = values.nestedContainer(keyedBy: Implementation.self, forKey: .implementation)
    try inner.encode(entityName, forKey: .entityName)
    try inner.encode(isTemporary, forKey: .isTemporary)
    if let surrogateText {
      try inner.encode(surrogateText, forKey: .primaryKey)
    } else {
      try inner.encode(key, forKey: .primaryKey)
    }
    // Also for a model that is not saved: its identifier does not change when it is saved.
    try inner.encodeIfPresent(identity.store, forKey: .storeIdentifier)
  }

  private func encodeColumn(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: ColumnKeys.self)
    try values.encodeIfPresent(identity.store, forKey: .store)
    try values.encode(entityName, forKey: .entity)
    if let surrogateText {
      try values.encode(surrogateText, forKey: .name)
    } else {
      try values.encode(key, forKey: .key)
    }
    try values.encode(!isTemporary, forKey: .saved)
  }

  private var surrogateText: String? { identity.surrogateKey?.text }

  private init(_ store: String?, _ entity: String, key: Int64, isSaved: Bool) {
    self.init(identity: .of(store: store, entity: entity), key: key, isSaved: isSaved)
  }

  private init(named name: String, _ store: String, _ entity: String, isSaved: Bool) {
    let name = SurrogateKey.intern(store: store, text: name)
    self.init(identity: .of(name, entity: entity), key: name.number, isSaved: isSaved)
  }
}

extension CodingUserInfoKey {
  /// Set by the encoder of column values, whose text must stay the same from version to version.
  static let isColumnCoding = CodingUserInfoKey(rawValue: "larder.column").unsafelyUnwrapped
}
