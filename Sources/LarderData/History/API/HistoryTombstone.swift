/// What a deleted model had in its attributes with `.preserveValueOnDeletion`.
///
/// ```swift
/// if case .delete(let change) = change, let change = change as? any HistoryDelete<Trip> {
///   let remoteID = change.tombstone[\.remoteID] as? String
/// }
/// ```
///
/// Of one save up to 64 MiB of values are kept: one that is larger than what is left of that is not in it, while smaller
/// ones of the same model are.
// @unchecked: layouts and stored values, all of them immutable. Whoever asks for a value gets one of his own.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable {
  public typealias Element = Any

  private let layout: _ModelLayout
  /// In the order of the properties.
  private let values: [(property: PropertyLayout, stored: [_StoredValue])]

  /// - Parameter stored: By the names of the columns.
  init(_ layout: _ModelLayout, _ stored: [String: _StoredValue]) {
    self.layout = layout
    values = layout.properties.compactMap { property in
      guard property.attribute?.isPreservedOnDeletion ?? false else { return nil }
      let names = property.placement.external.map { [$0.property] } ?? layout.columns[property.columns].map(\.name)
      let values = names.compactMap { stored[$0] }
      return values.count == names.count ? (property, values) : nil
    }
  }

  private func value(_ place: Int) -> Any? { values[place].property.codec.value(of: values[place].stored, layout) }

  /// The value of a property; nil for one that was nil, was not preserved, or was too large to be.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let place = values.firstIndex(where: { $0.property.keyPaths.contains(keyPath) }), let value = value(place)
    else {
      return nil
    }
    if case Optional<Any>.none = value { return nil }
    // Sendable leaves no trace in a value, so this changes nothing but the static type.
    return unsafeBitCast(value as Any, to: (any Sendable).self)
  }

  /// Goes through the values, in the order of the model's properties.
  public func makeIterator() -> Iterator { Iterator(values: values.indices.compactMap(value).makeIterator()) }

  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[Any]>

    public mutating func next() -> Any? { values.next() }
  }
}
