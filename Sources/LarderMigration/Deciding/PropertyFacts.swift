import LarderData
import LarderSQLite

/// What a property's declaration says and a stored schema does not.
struct PropertyFacts {
  let isOptional: Bool
  /// The stored form of the value that the declaration gives, or of nil; nil where there is neither.
  let defaults: [StoredValue]?
  /// The places of the columns that hold a value whenever the whole does.
  let requiredMembers: Set<Int>
  /// Whether columns hold a value of the property's type.
  let canRead: ([StoredValue]) -> Bool
  /// Whether the declaration itself is at hand. Where it is not, what it may say in favour is left open.
  let isCertain: Bool

  init(_ property: PropertyLayout, of layout: ModelLayout) {
    isOptional = property.isOptional
    defaults = property.storedDefault(in: layout)
    requiredMembers = property.codec.columnsOfRequiredMembers
    canRead = { property.canRead($0, in: layout) }
    isCertain = true
  }

  /// As far as a stored schema tells.
  init(_ property: StoredProperty) {
    isOptional = property.isOptional
    if isOptional {
      let columns = property.external == nil ? property.members.map(\.column) : []
      defaults = columns.isEmpty ? [.null] : columns.map { $0.form == "presence" ? .integer(0) : .null }
    } else {
      defaults = nil
    }
    // Where the whole may be nil, all of its columns may.
    requiredMembers = Set(
      property.members.enumerated().filter { !$0.element.column.isOptional && $0.element.column.form != "presence" }
        .map(\.offset))
    canRead = { _ in true }
    isCertain = false
  }
}
