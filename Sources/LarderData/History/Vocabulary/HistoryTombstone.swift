/// What a deleted model had in its attributes with `.preserveValueOnDeletion`.
///
/// ```swift
/// if case .delete(let change) = change, let change = change as? any HistoryDelete<Trip> {
///   let remoteID = change.tombstone[\.remoteID] as? String
/// }
/// ```
// @unchecked: key paths and decoded values, all of them immutable.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable {
  public typealias Element = Any

  /// In the order of the properties.
  private let values: [(keyPaths: [AnyKeyPath], value: Any)]

  init(_ values: [(keyPaths: [AnyKeyPath], value: Any)]) { self.values = values }

  /// The value of a property; nil for one that was nil, or was not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let found = values.first(where: { $0.keyPaths.contains(keyPath) }) else { return nil }
    if case Optional<Any>.none = found.value { return nil }
    // A marker has no witness, so both are the same in memory. The value was read from the store for this tombstone alone.
    return unsafeBitCast(found.value as Any, to: (any Sendable).self)
  }

  /// Goes through the values, in the order of the model's properties.
  public func makeIterator() -> Iterator { Iterator(values: values.map(\.value).makeIterator()) }

  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[Any]>

    public mutating func next() -> Any? { values.next() }
  }
}
