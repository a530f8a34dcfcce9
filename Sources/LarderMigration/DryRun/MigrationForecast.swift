import LarderData

/// What bringing a store to other models would do, told without doing it.
package struct MigrationForecast: Codable, Equatable, Sendable {
  package enum Verdict: String, Codable, Sendable {
    /// The store has that shape already.
    case nothing
    /// The container of a program with these models does it as it opens.
    case possible
    /// It does it if the program's declarations say what no schema holds.
    case depends
    /// It refuses, unless a stage of a migration plan comes first.
    case impossible
  }

  /// What is done to a table.
  package enum Work: String, Codable, Sendable {
    case none
    /// It is made, without rows.
    case create
    /// Indexes are made or removed; rows stay where they are.
    case indexes
    /// Only what the store knows of it changes.
    case describe
    /// Every row is written anew.
    case rebuild
  }

  package struct Table: Codable, Equatable, Sendable {
    package var name: String
    package var work: Work
    /// How many rows are written anew.
    package var rows: Int64
    package var changes: [Change]
    package var collisions: [Collision]
  }

  /// One difference, in a sentence.
  package struct Change: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
      case tableAdded, tableRenamed, tableUnnamed, classAdded
      case columnAdded, columnRemoved, columnRenamed, columnMoved, typeWidened, typeChanged, nowOptional, nowRequired
      case relationshipAdded, relationshipRemoved, relationshipRenamed, relationshipChanged
      case uniqueAdded, uniqueRemoved, indexAdded, indexRemoved
    }

    package var kind: Kind
    /// What it concerns: a property with its class, or columns.
    package var name: String
    package var explanation: String
    /// How many rows have a value there that goes.
    package var rows: Int64?
  }

  /// Rows that agree in what is to be unique.
  package struct Collision: Codable, Equatable, Sendable {
    package struct Group: Codable, Equatable, Sendable {
      /// How many rows agree, and the first of them by their `larder_id`.
      package var rows: Int64
      package var identifiers: [Int64]
    }

    package var columns: [String]
    /// How many values are there more than once.
    package var values: Int64
    /// How many rows have such a value.
    package var rows: Int64
    package var examples: [Group]
  }

  /// The error that the container throws.
  package struct Failure: Codable, Equatable, Sendable {
    package var code: String
    package var explanation: String
  }

  package var verdict: Verdict
  /// Those that change, and those that the models do not name.
  package var tables: [Table]
  /// How many rows are written anew, in all tables.
  package var rows: Int64
  /// What cannot be done without a plan.
  package var problems: [String]
  /// What only the program's declarations tell.
  package var conditions: [String]
  package var failure: Failure?

  /// What goes with its values, and in how many rows.
  package var losses: [String] {
    tables.flatMap(\.changes).compactMap { change in
      guard [.columnRemoved, .relationshipRemoved].contains(change.kind), let rows = change.rows, rows > 0 else {
        return nil
      }
      return "\(change.name) (\(rows))"
    }
  }
}
