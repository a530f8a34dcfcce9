/// Reads and writes the values of one property whose type `@Model` cannot know: an enumeration, a composite, a
/// collection, or any other Codable type.
public class PropertyCodec<Value>: AnyPropertyCodec {
  package override init(columns: [CodecColumn]) { super.init(columns: columns) }

  /// Reads the value whose first column is `column`, or reports to `row` why there is none.
  public func read(_ row: borrowing RowReader, _ column: Int) -> Value? { nil }

  /// Writes each of the value's columns; `nil` is storage that nothing has been read into yet.
  public func write(_ value: Value?, to binder: inout RowBinder) {}

  /// Whether both values have the same stored form.
  public func isSame(_ left: Value, _ right: Value) -> Bool { false }

  /// Reads what ``AnyPropertyCodec/optionalColumns`` hold: `.some(nil)` is a stored nil.
  func readOptional(_ row: borrowing RowReader, _ column: Int) -> Value?? {
    guard let value = read(row, column) else { return nil }
    return .some(.some(value))
  }

  /// Writes what ``AnyPropertyCodec/optionalColumns`` hold.
  func writeOptional(_ value: Value?, to binder: inout RowBinder) {
    if let value { write(value, to: &binder) } else { writeNulls(to: &binder) }
  }

  /// A valid value, to try a type's coding on; nil where none can be made.
  func sample(_ kind: SampleKind) -> Value? { nil }

  /// Says that there is no value to write. The columns still take their places.
  final func writeMissing(to binder: inout RowBinder) {
    binder.fail("it has no value yet; give it one before saving", at: binder.next)
    writeNulls(to: &binder)
  }

  private func writeNulls(to binder: inout RowBinder) {
    for _ in columns { binder.put(.null) }
  }
}

/// What is known of a codec without its value's type.
public class AnyPropertyCodec {
  /// The columns that it reads and writes, named relative to the property: "" is the property's own name.
  package let columns: [CodecColumn]
  /// The members of a composite, where this is one.
  package var members: [CompositeMember]? { nil }

  init(columns: [CodecColumn]) { self.columns = columns }

  /// The columns of an optional value.
  var optionalColumns: [CodecColumn] { columns.map(\.asOptional) }

  /// The members to read and write where a value of this codec lies at an offset within a composite; nil for what
  /// makes a composite not flat.
  func memberAccesses(at offset: Int) -> [MemberAccess]? { nil }
}

package struct CodecColumn {
  /// Follows the property's name in the column's: "" or "_name", "_inner_name".
  package var suffix: String
  package var type: ColumnType
  package var isOptional: Bool
  package var order: ColumnOrder = .natural
  package var form: ColumnForm = .value

  var asOptional: CodecColumn {
    var column = self
    column.isOptional = true
    return column
  }

  func within(_ member: String) -> CodecColumn {
    var column = self
    column.suffix = "_" + member + suffix
    return column
  }
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
  /// Places in the codec's own `columns`; those of a member of a member count from the outermost composite too.
  package var columns: Range<Int>
  /// The members of a composite within the composite.
  package var members: [CompositeMember]?

  /// The member as part of a value at an offset, whose first column has a place.
  func moved(by offset: Int, columns places: Int) -> CompositeMember {
    CompositeMember(
      name: name, offset: self.offset + offset, type: type,
      columns: columns.lowerBound + places..<columns.upperBound + places,
      members: members?.map { $0.moved(by: offset, columns: places) })
  }
}
