/// The values that a deleted model had in its attributes with `.preserveValueOnDeletion`.
///
/// ```swift
/// if case .delete(let change) = change, let change = change as? any HistoryDelete<Trip> {
///   let remoteID = change.tombstone[\.remoteID] as? String
/// }
/// ```
///
/// The history keeps up to 64 MiB of values per save. A value that exceeds the remaining size is left out, while smaller values
/// of the same model are kept.
// @unchecked: layouts and stored values are immutable. Each access creates a new value.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable {
  public typealias Element = Any

  private let layout: _ModelLayout
  /// The values in the order of the properties.
  private let values: [(property: PropertyLayout, stored: [_StoredValue])]

  /// - Parameter stored: The values by column name.
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

  /// Returns the value of a property, or `nil` if the value was `nil`, was not preserved, or was too large.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let place = values.firstIndex(where: { $0.property.keyPaths.contains(keyPath) }), let value = value(place)
    else {
      return nil
    }
    if case Optional<Any>.none = value { return nil }
    // Sendable leaves no trace in a value, so this changes nothing but the static type.
    return unsafeBitCast(value as Any, to: (any Sendable).self)
  }

  /// Returns an iterator of the values, in the order of the model's properties.
  public func makeIterator() -> Iterator { Iterator(values: values.indices.compactMap(value).makeIterator()) }

  public struct Iterator: IteratorProtocol {
    fileprivate var values: IndexingIterator<[Any]>

    public mutating func next() -> Any? { values.next() }
  }
}
