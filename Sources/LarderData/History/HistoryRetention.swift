public import Foundation
import LarderSQLite

// Beyond Apple's API.

/// How much of its history a store keeps.
///
/// ```swift
/// var configuration = ModelConfiguration("Trips")
/// configuration.historyRetention = HistoryRetention(age: 7 * 86_400, size: 16 * 1_048_576)
/// ```
///
/// What is older, or more, goes with later saves, the oldest first: a few hundred transactions at a time. Who asks for what
/// follows a token from before that gets ``SwiftDataError/historyTokenExpired``.
public struct HistoryRetention: Hashable, Sendable {
  /// How long a transaction is kept, in seconds; nil for as long as there is room.
  public var age: TimeInterval?
  /// How large the history may grow, in bytes of what it says; nil for no limit.
  public var size: Int?

  /// - Parameters:
  ///   - age: How long a transaction is kept, in seconds.
  ///   - size: How large the history may grow, in bytes.
  public init(age: TimeInterval? = 30 * 86_400, size: Int? = 64 * 1_048_576) {
    self.age = age
    self.size = size
  }

  /// Nothing goes unless the program deletes it.
  public static let unlimited = HistoryRetention(age: nil, size: nil)
}

extension HistoryRetention {
  /// The longer of two.
  func united(with other: HistoryRetention) -> HistoryRetention {
    HistoryRetention(
      age: age.flatMap { one in other.age.map { max(one, $0) } },
      size: size.flatMap { one in other.size.map { max(one, $0) } })
  }

  /// Every how many transactions it is applied.
  static let stride: Int64 = 64
  /// How many go at once, at most: more than come meanwhile, and few enough that a save does not feel them.
  private static let batch = 512

  /// Deletes what is too much, but never the transaction that is being written.
  func apply(before number: Int64, on connection: Connection) throws {
    guard age != nil || size != nil else { return }
    let oldest = age.map { Date().timeIntervalSinceReferenceDate - $0 } ?? -.infinity
    let sql =
      "SELECT max(number) FROM (SELECT number, time, size FROM \(HistoryTable.name) WHERE number < ?1 "
      + "ORDER BY number LIMIT \(HistoryRetention.batch)) WHERE time < ?2 OR size <= "
      + "(SELECT size FROM \(HistoryTable.name) WHERE number = ?1) - ?3"
    let last = try connection.withStatement(for: sql) { statement in
      statement.bind(1, number)
      statement.bind(2, oldest)
      statement.bind(3, Int64(size ?? .max))
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : 0
    }
    guard last > 0 else { return }
    try connection.withStatement(for: "DELETE FROM \(HistoryTable.name) WHERE number <= ?1") { statement in
      statement.bind(1, last)
      try statement.run()
    }
    try Bookkeeping.setHistoryDeleted(last, on: connection)
  }
}
