public import Foundation

/// Why a fetch gave no result.
public struct FetchError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A stored value does not fit the property that it is stored for; or a data store has two models of one unique key.
    case unreadableValue
    /// A predicate's arithmetic has no result: an overflow, or a division by zero. Or a sum that its type has no place
    /// for.
    case arithmetic
    /// A limit or an offset is negative.
    case invalidDescriptor
    /// An aggregate of a key path that the store cannot compute with.
    case invalidAggregate
    /// `existingModel(for:)` was given an identifier of which there is no row.
    case rowNotFound
  }

  public var code: Code
  public var entityName: String
  /// The row in question, where there is one.
  public var identifier: PersistentIdentifier?
  /// The property in question, where there is one.
  public var property: String?
  /// What happened and what to do, in sentences.
  public var explanation: String

  package init(
    _ code: Code, entityName: String, identifier: PersistentIdentifier? = nil, property: String? = nil,
    _ explanation: String
  ) {
    self.code = code
    self.entityName = entityName
    self.identifier = identifier
    self.property = property
    self.explanation = explanation
  }
}

extension FetchError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { explanation }
  public var description: String { "\(code.rawValue): \(explanation)" }
}
