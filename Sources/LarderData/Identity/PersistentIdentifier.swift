import Foundation
import LarderSupport

/// The identity of a model's row: its store, its entity and its key.
///
/// An identifier is permanent from the moment of the insert. It can be stored, hashed, encoded and sent to other actors, which
/// convert it to their own instance of the model:
///
/// ```swift
/// let id = trip.persistentModelID
/// try await importer.rename(id, to: "Paris")   // let trip = self[id, as: Trip.self]
/// ```
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// The part of an identifier that determines its equality.
  public struct ID: Hashable, Sendable {
    package let identity: EntityIdentity
    package let key: Int64

    package init(identity: EntityIdentity, key: Int64) {
      self.identity = identity
      self.key = key
    }

    public static func == (left: ID, right: ID) -> Bool {
      left.key == right.key
        && (left.identity === right.identity || left.identity.root === right.identity.root)
    }

    public func hash(into hasher: inout Hasher) {
      // The key is sufficient, since the entities of a store share one sequence of row IDs. The entity's root may not be known yet.
      hasher.combine(key)
    }
  }

  public let id: ID
  /// Whether the row had been saved when this value was created. Equality does not depend on it.
  private let isSaved: Bool

  @inline(__always)
  package init(identity: EntityIdentity, key: Int64, isSaved: Bool) {
    id = ID(
      identity: key < SurrogateKey.firstNumber ? identity : PersistentIdentifier.surrogateIdentity(identity, key),
      key: key)
    self.isSaved = isSaved
  }

  private init(_ name: SurrogateKey, entity: String, isSaved: Bool) {
    id = ID(identity: .of(name, entity: entity), key: name.number)
    self.isSaved = isSaved
  }

  /// Returns the identity with the surrogate key of a row ID, so that the identifier retains the surrogate key.
  @inline(never)
  private static func surrogateIdentity(_ identity: EntityIdentity, _ key: Int64) -> EntityIdentity {
    guard identity.surrogateKey == nil, let name = SurrogateKey.existing(key) else { return identity }
    return .of(name, entity: identity.entity)
  }

  package var key: Int64 { id.key }
  package var identity: EntityIdentity { id.identity }

  /// The name of the model's entity, for example `"Trip"`.
  public var entityName: String { id.identity.entity }

  /// The identifier of the store that contains the row, or `nil` if the model was not saved when this identifier was created.
  public var storeIdentifier: String? { isSaved ? id.identity.store : nil }

  /// Whether the model was not saved when this identifier was created.
  public var isTemporary: Bool { !isSaved }

  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool { left.id == right.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Compares by store, entity and row, so that the order of identifiers is the same in every run.
  public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
    let (a, b) = (left.identity.root, right.identity.root)
    if a === b {
      if let one = left.identity.surrogateKey, let other = right.identity.surrogateKey {
        return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
      }
      return left.key < right.key
    }
    return (a.store ?? "", a.entity, left.key) < (b.store ?? "", b.entity, right.key)
  }

  /// Creates the identifier of a row from its primary key, for example a key from another store or from a saved list.
  ///
  /// The primary keys of an SQLite file are integers above 0. A custom ``DataStore`` may have keys of any type. Its keys are
  /// identified by their `description`:
  ///
  /// ```swift
  /// let identifier = try PersistentIdentifier.identifier(
  ///   for: store.identifier, entityName: "Trip", primaryKey: UUID().uuidString)
  /// ```
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the model's entity.
  ///   - primaryKey: The key of the row.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the key is empty.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier where T: Comparable & CustomStringConvertible & Codable & Hashable {
    let text = primaryKey.description
    if let key = Int64(text), key > 0, key < SurrogateKey.firstNumber, "\(key)" == text {
      return PersistentIdentifier(
        identity: .of(store: storeIdentifier, entity: entityName), key: key, isSaved: true)
    }
    guard !text.isEmpty else {
      throw SwiftDataError.unsupportedKeyPath.explained("An empty primary key names no row of \(entityName).")
    }
    return PersistentIdentifier(.intern(store: storeIdentifier, text: text), entity: entityName, isSaved: true)
  }
}

extension PersistentIdentifier: CustomDebugStringConvertible {
  public var debugDescription: String { "\(entityName)/\(identity.surrogateKey?.text ?? String(key))" }
}
