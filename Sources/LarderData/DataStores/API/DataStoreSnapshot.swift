/// What a snapshot has of a property.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// A model's values, apart from any object: what contexts and stores give each other.
///
/// ``DefaultSnapshot`` serves every model. One of a store's own has a coded form with the names of the model's properties for
/// its keys, and of relationships the identifiers of what they lead to: that is how a context reads it.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The model whose values these are: temporary until a store has saved it.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes a model's values.
  ///
  /// - Parameters:
  ///   - backingData: The values; of relationships the models.
  ///   - relatedBackingDatas: Those of the other models of the same request.
  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier, and with others for the models that they lead to.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot's coded form.
public enum DataStoreSnapshotCodingKey: CodingKey {
  case persistentIdentifier
  /// The property of this name.
  case modeledProperty(String)

  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  public var intValue: Int? { nil }
  public init?(intValue: Int) { nil }
}
