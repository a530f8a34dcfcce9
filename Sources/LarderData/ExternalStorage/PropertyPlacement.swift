/// Where a property's value lies.
package enum PropertyPlacement {
  /// In columns of its model's table, or in those of a relationship.
  case row
  /// In a table of its own, to be read when it is first asked for.
  case external(ExternalTable)
  /// In memory only.
  case ephemeral

  package var isRow: Bool { if case .row = self { true } else { false } }
  package var external: ExternalTable? { if case .external(let table) = self { table } else { nil } }
  package var isEphemeral: Bool { if case .ephemeral = self { true } else { false } }
}

/// The properties that `@Model` does not read and write by rows, by their places.
struct OutOfRowProperties {
  var external: Set<Int>
  var ephemeral: Set<Int>

  func contains(_ property: Int) -> Bool { external.contains(property) || ephemeral.contains(property) }
}

extension PropertyLayout {
  /// The name of `originalName:`, where it is another.
  var originalName: String? {
    let given = attribute?.originalName ?? relationship?.originalName
    return given.flatMap { $0.isEmpty || $0 == name ? nil : $0 }
  }

  /// Why no column can stand for the property in a query; nil where one can.
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
