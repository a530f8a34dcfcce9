import Foundation
import LarderSupport

/// Names a model's row: its store, its entity and its place in it.
///
/// An identifier is permanent from the moment of the insert. It may be kept, hashed, coded and sent to other actors,
/// which turn it into their own instance:
///
/// ```swift
/// let id = trip.persistentModelID
/// try await importer.rename(id, to: "Paris")   // let trip = self[id, as: Trip.self]
/// ```
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// What an identifier is equal by.
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
      // Models of a store share their numbers; the entity's root may not be known yet.
      hasher.combine(key)
    }
  }

  public let id: ID
  /// Whether the row had been saved when this value was made; not part of what identifiers are equal by.
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

  /// Whoever holds an identifier holds the name that its number stands for.
  @inline(never)
  private static func surrogateIdentity(_ identity: EntityIdentity, _ key: Int64) -> EntityIdentity {
    guard identity.surrogateKey == nil, let name = SurrogateKey.existing(key) else { return identity }
    return .of(name, entity: identity.entity)
  }

  package var key: Int64 { id.key }
  package var identity: EntityIdentity { id.identity }

  /// The name of the model's entity, for example `"Trip"`.
  public var entityName: String { id.identity.entity }

  /// The identity of the store that holds the row, or nil until the model has been saved.
  public var storeIdentifier: String? { isSaved ? id.identity.store : nil }

  /// Whether the model had not been saved when this identifier was taken from it.
  public var isTemporary: Bool { !isSaved }

  public static func == (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool { left.id == right.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// By store, entity and row, so that a sorted list is stable from run to run.
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

  /// An identifier for a row of a store by its key, as another store or a saved list names it.
  ///
  /// The rows of an SQLite file have whole numbers above 0. A ``DataStore`` of one's own may have keys of any kind, each
  /// known by its description:
  ///
  /// ```swift
  /// let identifier = try PersistentIdentifier.identifier(
  ///   for: store.identifier, entityName: "Trip", primaryKey: UUID().uuidString)
  /// ```
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for an empty key.
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
