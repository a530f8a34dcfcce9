import LarderSQLite
import LarderSupport

/// The table in which an upsert notes the keys of its records, to find rows that none of them named.
///
/// All upserts of a store write through one connection, whose temporary tables they see of one another. So each has a table
/// of its own, by the least number that no other has: its statements are those of upserts before it.
struct UpsertKeyTable: Sendable {
  let number: Int

  private static let usedNumbers = Locked<Set<Int>>([])

  init() {
    number = UpsertKeyTable.usedNumbers.withLock { taken in
      var number = 1
      while !taken.insert(number).inserted { number += 1 }
      return number
    }
  }

  /// The table's name, in the schema `temp`.
  var tableName: String { "larder_upsert_keys_\(number)" }

  /// The table has gone, and the next upsert may make it anew. Without this its number is nobody's any more.
  func release() { UpsertKeyTable.usedNumbers.withLock { taken in _ = taken.remove(number) } }
}
