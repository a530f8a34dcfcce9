import LarderSQLite
import LarderSupport

/// The temporary table in which an upsert records the keys of its records, to find the rows that no record named.
///
/// All upserts of a store write through one connection, and so see each other's temporary tables. Each upsert has its own table
/// with the least unused number, so that its statements are equal to those of earlier upserts.
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

  /// Releases the number after the table was dropped, so that the next upsert can use it. Without this call it stays in use.
  func release() { UpsertKeyTable.usedNumbers.withLock { taken in _ = taken.remove(number) } }
}
