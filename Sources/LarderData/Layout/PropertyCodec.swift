/// Reads and writes the values of one property whose type `@Model` cannot know: an enumeration, a composite, a
/// collection, or any other Codable type.
public class PropertyCodec<Value>: AnyPropertyCodec {
  /// Reads the value whose first column is `column`, or reports to `row` why there is none.
  public func read(_ row: borrowing RowReader, _ column: Int) -> Value? { nil }

  /// Writes each of the value's columns; `nil` is storage that nothing has been read into yet.
  public func write(_ value: Value?, to binder: inout RowBinder) {}

  /// Whether both values have the same stored form.
  public func isSame(_ left: Value, _ right: Value) -> Bool { false }
}

/// What is known of a codec without its value's type.
public class AnyPropertyCodec {
  /// The columns that it reads and writes, named relative to the property: "" is the property's own name.
  package let columns: [CodecColumn]
  /// The members of a composite, where this is one.
  package var members: [CompositeMember]? { nil }

  package init(columns: [CodecColumn]) { self.columns = columns }
}

package struct CodecColumn {
  package var suffix: String
  package var type: ColumnType
  package var isOptional: Bool
  package var order: ColumnOrder = .natural
  package var form: ColumnForm = .value
}

/// What a column's stored form stands for, which decides what a predicate may say of it.
package enum ColumnForm: Sendable {
  /// The value itself, or the raw value of an enumeration.
  case value
  /// Whether an optional composite is there.
  case presence
  /// JSON, of which SQL knows nothing.
  case json
}

/// A stored member of a composite: where it lies in the value, and which of the codec's columns are its own.
package struct CompositeMember {
  package var name: String
  package var offset: Int
  package var type: any Any.Type
  package var columns: Range<Int>
  /// The members of a composite within the composite.
  package var members: [CompositeMember]?
}
