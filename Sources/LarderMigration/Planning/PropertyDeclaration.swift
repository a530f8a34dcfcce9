import LarderData
import LarderSQLite

/// The facts about a property that its declaration contains and a stored schema does not.
struct PropertyDeclaration {
  let isOptional: Bool
  /// The stored form of the declaration's default value, or of `nil`; `nil` if there is neither.
  let defaults: [_StoredValue]?
  /// The positions of the columns that hold a value whenever the property has one.
  let requiredMembers: Set<Int>
  /// The positions of the columns that mark a nested optional struct as present, with the positions of all its columns.
  let optionalMembers: [Int: Range<Int>]
  /// Returns whether columns hold a value of the property's type.
  let canRead: ([_StoredValue]) -> Bool
  /// Whether the declaration is known. If it is not, a check that it might satisfy is only a condition.
  let isCertain: Bool

  init(_ property: PropertyLayout, of layout: _ModelLayout) {
    isOptional = property.isOptional
    defaults = property.storedDefault(in: layout)
    requiredMembers = property.codec.columnsOfRequiredMembers
    optionalMembers = PropertyDeclaration.optional(property.codec.members ?? [])
    canRead = { property.canRead($0, in: layout) }
    isCertain = true
  }

  /// Creates a declaration from a stored schema, as far as that allows.
  init(_ property: StoredProperty) {
    isOptional = property.isOptional
    if isOptional {
      let columns = property.external == nil ? property.members.map(\.column) : []
      defaults = columns.isEmpty ? [.null] : columns.map { $0.form == "presence" ? .integer(0) : .null }
    } else {
      defaults = nil
    }
    // If the property is optional, all of its columns may be NULL.
    requiredMembers = Set(
      property.members.enumerated().filter { !$0.element.column.isOptional && $0.element.column.form != "presence" }
        .map(\.offset))
    var optional: [Int: Range<Int>] = [:]
    for (place, member) in property.members.enumerated()
    where member.column.form == "presence" && !member.suffix.isEmpty {
      let inner = property.members[(place + 1)...].prefix { $0.suffix.hasPrefix(member.suffix + "_") }
      optional[place] = place..<inner.endIndex
    }
    optionalMembers = optional
    canRead = { _ in true }
    isCertain = false
  }

  private static func optional(_ members: [CompositeMember]) -> [Int: Range<Int>] {
    members.reduce(into: [:]) { places, member in
      guard let inner = member.members else { return }
      if ValueTypes.isOptional(member.type) { places[member.columns.lowerBound] = member.columns }
      places.merge(optional(inner)) { first, _ in first }
    }
  }
}
