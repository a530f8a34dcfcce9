import LarderData
import LarderSQLite

/// What a property's declaration says and a stored schema does not.
struct PropertyDeclaration {
  let isOptional: Bool
  /// The stored form of the value that the declaration gives, or of nil; nil where there is neither.
  let defaults: [_StoredValue]?
  /// The places of the columns that hold a value whenever the whole does.
  let requiredMembers: Set<Int>
  /// The places of the columns that say whether an optional struct within the property's is there, and those of all of its
  /// columns.
  let optionalMembers: [Int: Range<Int>]
  /// Whether columns hold a value of the property's type.
  let canRead: ([_StoredValue]) -> Bool
  /// Whether the declaration itself is at hand. Where it is not, what it may say in favour is left open.
  let isCertain: Bool

  init(_ property: PropertyLayout, of layout: _ModelLayout) {
    isOptional = property.isOptional
    defaults = property.storedDefault(in: layout)
    requiredMembers = property.codec.columnsOfRequiredMembers
    optionalMembers = PropertyDeclaration.optional(property.codec.members ?? [])
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
