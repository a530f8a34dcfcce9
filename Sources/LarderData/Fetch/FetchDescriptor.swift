public import Foundation

/// What to fetch: which models, in which order, and how many of them.
///
/// ```swift
/// var strong = FetchDescriptor<Quake>(
///   predicate: #Predicate { $0.magnitude >= 5 }, sortBy: [SortDescriptor(\.time, order: .reverse)])
/// strong.fetchLimit = 20
/// let quakes = try context.fetch(strong)
/// ```
@frozen
public struct FetchDescriptor<T> where T: PersistentModel {
  /// Which models; all where it is nil.
  public var predicate: Predicate<T>?
  /// In which order; rows are in the order of their identifiers where it is empty.
  public var sortBy: [SortDescriptor<T>]
  /// The most models to fetch; nil for all.
  public var fetchLimit: Int?
  /// How many to pass over first.
  public var fetchOffset: Int?
  /// Whether what is pending in the context is part of the result. True unless changed.
  public var includePendingChanges: Bool = true
  /// The properties that will be read. Accepted, and without effect: rows are fetched whole. A value that is worth leaving
  /// out is one of `.externalStorage`, which is read when it is first touched.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships that will be read: each is loaded by one statement for all rows, not when it is first touched.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

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
