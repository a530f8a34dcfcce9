import LarderData

/// The predicted effects of migrating a store to other models, computed without writing anything.
package struct MigrationForecast: Codable, Equatable, Sendable {
  package enum Verdict: String, Codable, Sendable {
    /// The store has that shape already.
    case nothing
    /// A container with these models migrates the store when it opens it.
    case possible
    /// The container migrates the store if the program's declarations provide values that the schemas do not contain.
    case depends
    /// The container refuses the store, unless a stage of a migration plan comes first.
    case impossible
  }

  /// The work on one table.
  package enum Work: String, Codable, Sendable {
    case none
    /// The table is created, without rows.
    case create
    /// Indexes are created or removed; rows are not copied.
    case indexes
    /// Only the store's record of the table changes.
    case describe
    /// Every row is written again.
    case rebuild
  }

  package struct Table: Codable, Equatable, Sendable {
    package var name: String
    package var work: Work
    /// The number of rows that are written again.
    package var rows: Int64
    package var changes: [Change]
    package var collisions: [Collision]
  }

  /// One difference, as a sentence.
  package struct Change: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
      case tableAdded, tableRenamed, tableUnnamed, classAdded
      case columnAdded, columnRemoved, columnRenamed, columnMoved, typeWidened, typeChanged, nowOptional, nowRequired
      case relationshipAdded, relationshipRemoved, relationshipRenamed, relationshipChanged
      case uniqueAdded, uniqueRemoved, indexAdded, indexRemoved
    }

    package var kind: Kind
    /// The subject of the change: a property with its class, or columns.
    package var name: String
    package var explanation: String
    /// The number of rows that lose a value.
    package var rows: Int64?
  }

  /// Rows that would violate a uniqueness constraint.
  package struct Collision: Codable, Equatable, Sendable {
    package struct Group: Codable, Equatable, Sendable {
      /// The number of equal rows, and the first of them by their `larder_id`.
      package var rows: Int64
      package var identifiers: [Int64]
    }

    package var columns: [String]
    /// The number of values that occur more than once.
    package var values: Int64
    /// The number of rows with such a value.
    package var rows: Int64
    package var examples: [Group]
  }

  /// The error that the container would throw.
  package struct Failure: Codable, Equatable, Sendable {
    package var code: String
    package var explanation: String
  }

  package var verdict: Verdict
  /// The tables that change, and the tables that are in none of the models.
  package var tables: [Table]
  /// The number of rows that are written again, in all tables.
  package var rows: Int64
  /// Obstacles that require a migration plan.
  package var problems: [String]
  /// Conditions that only the program's declarations can fulfil.
  package var conditions: [String]
  package var failure: Failure?

  /// The properties that are removed with their values, and the number of rows of each.
  package var losses: [String] {
    tables.flatMap(\.changes).compactMap { change in
      guard [.columnRemoved, .relationshipRemoved].contains(change.kind), let rows = change.rows, rows > 0 else {
        return nil
      }
      return "\(change.name) (\(rows))"
    }
  }
}
