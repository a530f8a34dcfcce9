/// The type of a property's value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of a model, independent of any object. Contexts and data stores exchange snapshots.
///
/// ``DefaultSnapshot`` represents any model. The encoded form of a custom snapshot has the names of the model's properties as
/// its keys, and the identifiers of the related models as the values of relationships: a context reads this form.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the model. It is temporary until a data store has saved the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of a model's values.
  ///
  /// - Parameters:
  ///   - backingData: The values of the model; the value of a relationship is the related models.
  ///   - relatedBackingDatas: The backing data of the other models of the same request.
  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns a snapshot with the same values, another identifier, and other identifiers of related models.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The new identifier.
  ///   - remappedIdentifiers: The new identifiers of related models, by their former ones.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot's encoded form.
public enum DataStoreSnapshotCodingKey: CodingKey {
  case persistentIdentifier
  /// The property with this name.
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
