/// The place where a property's value is stored.
package enum PropertyPlacement {
  /// Columns of the model's table, or those of a relationship.
  case row
  /// A separate table, read on first access.
  case external(ExternalTable)
  /// Memory only.
  case ephemeral

  package var isRow: Bool { if case .row = self { true } else { false } }
  package var external: ExternalTable? { if case .external(let table) = self { table } else { nil } }
  package var isEphemeral: Bool { if case .ephemeral = self { true } else { false } }
}

/// The indexes of the properties that `@Model` does not read and write by rows.
struct OutOfRowProperties {
  var external: Set<Int>
  var ephemeral: Set<Int>

  func contains(_ property: Int) -> Bool { external.contains(property) || ephemeral.contains(property) }
}

extension PropertyLayout {
  /// The name in `originalName:`, if it differs from the property's name.
  var originalName: String? {
    let given = attribute?.originalName ?? relationship?.originalName
    return given.flatMap { $0.isEmpty || $0 == name ? nil : $0 }
  }

  /// The reason why the property cannot be used in a query; nil where it can.
  package var unqueryableReason: String? {
    switch placement {
    case .row: nil
    case .external:
      "its value is kept apart from the row (.externalStorage), so that rows can be found without reading it. Store "
        + "what you search by, such as a size or a checksum, in a property of its own"
    case .ephemeral: "it is .ephemeral, and not in the store. Filter what comes back in Swift"
    }
  }
}
