import LarderData
import LarderSQLite
import LarderSupport

/// How many keys lead nowhere, by the table that has them and the one that they lead to.
struct DanglingForeignKeys {
  private struct TablePair: Hashable {
    var table: String
    var parent: String
  }

  private var counts: [TablePair: Int64] = [:]

  init(on connection: Connection) throws {
    // Names in a REFERENCES are written as somebody has written them.
    let sql = "SELECT lower(\"table\"), lower(parent), count(*) FROM pragma_foreign_key_check GROUP BY 1, 2"
    try connection.withStatement(for: sql) { statement in
      while try statement.step() {
        counts[TablePair(table: statement.string(0), parent: statement.string(1))] = statement.int64(2)
      }
    }
  }

  /// Where they are after a migration that carries them along.
  mutating func applyRenames(of migration: StoreMigration) {
    if counts.isEmpty { return }
    let tables = DanglingForeignKeys.successors(in: migration)
    let moved = Set(migration.replacedTables.flatMap { [$0.name] + $0.companionTables }.map { $0.lowercased() })
    func places(_ table: String) -> Set<String> {
      let known = tables[table] ?? []
      return moved.contains(table) ? known : known.union([table])
    }
    var after: [TablePair: Int64] = [:]
    for (place, count) in counts {
      for table in places(place.table) {
        for parent in places(place.parent) { after[TablePair(table: table, parent: parent), default: 0] += count }
      }
    }
    counts = after
  }

  /// The tables of which there are more than there were.
  func tables(exceeding former: DanglingForeignKeys) -> [String] {
    Set(counts.filter { $0.value > former.counts[$0.key, default: 0] }.map(\.key.table)).inOrder()
  }

  /// The tables that rows and pairs of a former table are in.
  private static func successors(in migration: StoreMigration) -> [String: Set<String>] {
    var tables: [String: Set<String>] = [:]
    func add(_ former: String, _ now: String) { tables[former.lowercased(), default: []].insert(now.lowercased()) }
    for change in migration.changes {
      let definition = change.definition
      for name in definition.classNames {
        guard let former = migration.matches[name]?.originalName.flatMap({ migration.store.table(of: $0) }) else {
          continue
        }
        add(former.name, definition.name)
        for external in definition.externals ?? [] {
          for was in former.externals ?? [] { add(was.name, external.name) }
        }
      }
      for relationship in definition.relationships ?? [] {
        for pairs in migration.mappings(of: relationship).compactMap(\.pairs) {
          add(pairs.table, relationship.joinTable?.name ?? definition.name)
        }
      }
    }
    return tables
  }
}
