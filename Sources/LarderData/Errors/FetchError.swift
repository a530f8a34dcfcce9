public import Foundation

/// The error of a fetch that returned no result.
public struct FetchError: Error, Sendable {
  public enum Code: String, Sendable {
    /// A stored value does not fit the property's type, or a data store has two models with the same unique key.
    case unreadableValue
    /// A predicate's arithmetic has no result: an overflow, or a division by zero. Or a sum exceeds the range of its type.
    case arithmetic
    /// A limit or an offset is negative.
    case invalidDescriptor
    /// The store cannot compute an aggregate of the key path.
    case invalidAggregate
    /// `existingModel(for:)` was called with an identifier that has no row.
    case rowNotFound
  }

  /// The kind of the error.
  public var code: Code
  public var entityName: String
  /// The row that caused the error, or `nil` if no single row did.
  public var identifier: PersistentIdentifier?
  /// The property that caused the error, or `nil` if no single property did.
  public var property: String?
  /// A description of the error and of its remedy, in sentences.
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
