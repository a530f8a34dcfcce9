public import Foundation

/// A description of a fetch: a predicate, an order, and a limit.
///
/// ```swift
/// var strong = FetchDescriptor<Quake>(
///   predicate: #Predicate { $0.magnitude >= 5 }, sortBy: [SortDescriptor(\.time, order: .reverse)])
/// strong.fetchLimit = 20
/// let quakes = try context.fetch(strong)
/// ```
@frozen
public struct FetchDescriptor<T> where T: PersistentModel {
  /// The condition that a model must meet; `nil` for all models.
  public var predicate: Predicate<T>?
  /// The sort descriptors, in order of precedence. If the array is empty, models are sorted by their identifiers.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models to fetch; `nil` for all.
  public var fetchLimit: Int?
  /// The number of models to skip first.
  public var fetchOffset: Int?
  /// Whether the result includes the context's pending changes. The default is `true`.
  public var includePendingChanges: Bool = true
  /// The properties that will be read. Accepted, but without effect: rows are fetched whole. A large value is better
  /// declared as `.externalStorage`: then it is read on first access.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships to prefetch: each is loaded by one statement for all rows, instead of on first access.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  ///
  /// - Parameters:
  ///   - predicate: The condition that a model must meet; `nil` for all models.
  ///   - sortBy: The sort descriptors, in order of precedence.
  // Frozen and inlinable, or the runtime would look up the types of its properties at each call.
  @inlinable
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

// @unchecked: key paths are immutable, and a predicate captures Sendable values only.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor {
  /// The predicate's expression.
  @inlinable
  package var expression: (any StandardPredicateExpression<Bool>)? {
    guard InlinePredicateReader.isReadable else { return predicate?.expression }
    // The predicate is the first property of a frozen structure.
    return withUnsafePointer(to: self) { InlinePredicateReader.expression(at: UnsafeRawPointer($0)) }
  }
}
