import CLimits
import Foundation

struct LimitError: Error, CustomStringConvertible {
  let description: String
}

/// The plain C side: a store of its own, a copy of the empty one that the library made.
final class Limit {
  private let store: OpaquePointer

  init(copyOf template: URL, at url: URL, columns: Columns, settings: BenchmarkOptions) throws {
    if let message = limit_copy_store(template.path, url.path) { throw Self.error(message) }
    var message: UnsafeMutablePointer<CChar>?
    var writer = settings.writer
    var reader = settings.reader
    let opened = columns.withCColumns { limit_open(url.path, $0, &writer, &reader, &message) }
    guard let opened else { throw message.map(Self.error) ?? LimitError(description: "out of memory") }
    store = opened
  }

  deinit { limit_close(store) }

  static func error(_ message: UnsafeMutablePointer<CChar>) -> LimitError {
    defer { free(message) }
    return LimitError(description: "plain C: " + String(cString: message))
  }

  private func check(_ succeeded: Bool) throws {
    if !succeeded { throw LimitError(description: "plain C: " + String(cString: limit_message(store))) }
  }

  var settings: BenchmarkOptions {
    var writer = limit_settings()
    var reader = limit_settings()
    limit_settings_of_store(store, &writer, &reader)
    return BenchmarkOptions(writer: writer, reader: reader)
  }

  /// What it prepared, to be printed: insert, upsert, fetch, look-up.
  var statements: [String] {
    (0..<4).compactMap { limit_sql(store, $0).map { String(cString: $0) } }
  }

  func insert(_ records: Records, _ count: Int) throws {
    try check(limit_insert(store, records.pointer, Int32(count)))
  }

  func upsert(_ records: Records, _ count: Int) throws {
    try check(limit_upsert(store, records.pointer, Int32(count)))
  }

  /// - Returns: How many features there were.
  func ingest(_ bytes: UnsafePointer<UInt8>?, _ length: Int) throws -> Int {
    var count: Int32 = 0
    try bytes?.withMemoryRebound(to: CChar.self, capacity: length) {
      try check(limit_ingest(store, $0, length, &count))
    }
    return Int(count)
  }

  /// What a fetch returned: an array of structs that own their strings.
  struct Rows: ~Copyable {
    fileprivate var rows: UnsafeMutableRawPointer?
    private(set) var count: Int32 = 0
    private(set) var sum = 0.0

    fileprivate init(_ store: OpaquePointer) throws {
      guard limit_fetch(store, &rows, &count, &sum) else {
        throw LimitError(description: "plain C: " + String(cString: limit_message(store)))
      }
    }

    deinit { limit_free(rows, count) }
  }

  func fetch() throws -> Rows { try Rows(store) }

  func lookUp(_ records: Records, _ order: [Int32], oneTransaction: Bool) throws -> Double {
    var sum = 0.0
    try check(limit_look_up(store, records.pointer, order, Int32(order.count), oneTransaction, &sum))
    return sum
  }
}

/// Where a record's fields lie in a table.
struct Columns {
  let table, code, magnitude, time, place, longitude, latitude: String

  static let flat = Columns(
    table: "Quake", code: "code", magnitude: "magnitude", time: "time", place: "place", longitude: "longitude",
    latitude: "latitude")
  static let located = Columns(
    table: "LocatedQuake", code: "code", magnitude: "magnitude", time: "time", place: "location_name",
    longitude: "location_longitude", latitude: "location_latitude")

  fileprivate func withCColumns<Result>(_ body: (UnsafePointer<limit_columns>) -> Result) -> Result {
    table.withCString { table in
      code.withCString { code in
        magnitude.withCString { magnitude in
          time.withCString { time in
            place.withCString { place in
              longitude.withCString { longitude in
                latitude.withCString { latitude in
                  var columns = limit_columns(
                    table: table, code: code, magnitude: magnitude, time: time, place: place, longitude: longitude,
                    latitude: latitude)
                  return body(&columns)
                }
              }
            }
          }
        }
      }
    }
  }
}
