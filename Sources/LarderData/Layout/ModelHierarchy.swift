import LarderSupport

/// The classes that share a table: a model and its subclasses in a store. Most models have none.
package struct ModelHierarchy: Sendable {
  /// The classes, each after its superclass.
  package let members: [_ModelLayout]

  package init(_ members: [_ModelLayout]) {
    self.members = members.inOrder { ($0.depth, $0.entityName) < ($1.depth, $1.entityName) }
  }

  /// The topmost class.
  package var root: _ModelLayout { members[0].root }
  /// Whether rows store the name of their class.
  package var hasSubclasses: Bool { members.count > 1 }

  /// Returns a class and its subclasses.
  package func family(of layout: _ModelLayout) -> [_ModelLayout] { members.filter { $0.inherits(from: layout) } }

  /// Groups models by their tables.
  package static func all(_ layouts: [_ModelLayout]) -> [ModelHierarchy] {
    var groups: [[_ModelLayout]] = []
    var places: [Int: Int] = [:]
    for layout in layouts {
      let root = layout.root.id
      if let place = places[root] {
        groups[place].append(layout)
      } else {
        places[root] = groups.count
        groups.append([layout])
      }
    }
    return groups.map { ModelHierarchy($0) }
  }

  /// The reason why these classes cannot share a table; nil where they can.
  var problem: SwiftDataError? {
    guard hasSubclasses else { return nil }
    var owners: [String: _ModelLayout] = [:]
    for layout in members {
      for column in layout.noninheritedColumns {
        if let other = owners.updateValue(layout, forKey: column.name.lowercased()) {
          return .loadIssueModelContainer.explained(
            "\(other.entityName) and \(layout.entityName) share the table of \(root.entityName), and both need a column "
              + "named \(column.name). Rename a property of one of them.")
        }
      }
    }
    guard owners.count + ModelHierarchy.systemColumnCount > LayoutBuilder.maximumColumns else { return nil }
    return .loadIssueModelContainer.explained(
      "\(root.entityName) and the models that inherit from it need \(owners.count + ModelHierarchy.systemColumnCount) columns, "
        + "and a table has at most \(LayoutBuilder.maximumColumns). Move some of their properties into a model of their "
        + "own, or into a struct kept whole by @Attribute(.codable).")
  }

  /// The row's ID, its version and its class.
  private static let systemColumnCount = 3
}

/// The layout of rows of several classes that are read by one statement: the columns of a class, then those that each
/// subclass adds, and last the name of the row's class.
@usableFromInline
package final class HierarchyRowLayout: Sendable {
  @usableFromInline
  package struct Member: Sendable {
    @usableFromInline package let layout: _ModelLayout
    /// The layout with the positions of the class's columns in these rows.
    @usableFromInline package let readLayout: _ModelLayout
  }

  @usableFromInline package let members: [Member]
  /// The columns in order, without the first two and the last.
  package let columns: [ColumnLayout]
  /// The position of the class's name.
  @usableFromInline package let classColumnIndex: Int32

  /// - Parameter family: A class and its subclasses, each after its superclass.
  init(_ layout: _ModelLayout, family: [_ModelLayout]) {
    var columns = layout.columns
    var starts: [Int: Int] = [:]
    for (depth, above) in layout.ancestry.enumerated() { starts[above.id] = layout.columnOffsets[depth] }
    for below in family where below !== layout {
      starts[below.id] = columns.count + _ModelLayout.firstPropertyColumn
      columns += below.noninheritedColumns
    }
    members = family.map { member in
      Member(layout: member, readLayout: member.layout(withOffsets: member.ancestry.map { starts[$0.id] ?? 0 }))
    }
    self.columns = columns
    classColumnIndex = Int32(columns.count + _ModelLayout.firstPropertyColumn)
  }
}
