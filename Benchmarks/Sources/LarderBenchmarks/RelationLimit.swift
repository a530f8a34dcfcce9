import CLimits
import Foundation

/// The plain C side of the relationship's rows: a store of its own, a copy of the empty one that the library made.
final class RelationLimit {
  private let store: OpaquePointer

  init(copyOf template: URL, at url: URL, settings: BenchmarkOptions) throws {
    if let message = limit_copy_store(template.path, url.path) { throw Limit.error(message) }
    var message: UnsafeMutablePointer<CChar>?
    var writer = settings.writer
    var reader = settings.reader
    guard let opened = limit_relations_open(url.path, &writer, &reader, &message) else {
      throw message.map(Limit.error) ?? LimitError(description: "out of memory")
    }
    store = opened
  }

  deinit { limit_relations_close(store) }

  private func check(_ succeeded: Bool) throws {
    if !succeeded { throw LimitError(description: "plain C: " + String(cString: limit_relations_message(store))) }
  }

  /// What it prepared, to be printed.
  var statements: [String] {
    (0..<LIMIT_RELATION_STATEMENTS).compactMap { limit_relations_sql(store, $0).map { String(cString: $0) } }
  }

  func insert(_ records: Records, regions: Int, tremors: Int) throws {
    try check(limit_relations_insert(store, records.pointer, Int32(regions), Int32(tremors)))
  }

  func delete(_ regions: [Int64]) throws {
    try check(limit_relations_delete(store, regions, Int32(regions.count)))
  }

  /// Regions with their tremors, as structs that own their strings.
  struct Fetched: ~Copyable {
    private var rows: UnsafeMutableRawPointer?
    private(set) var tremors: Int32 = 0
    private(set) var sum = 0.0

    fileprivate init(_ limit: RelationLimit) throws {
      let read = limit_relations_fetch(limit.store, &rows, &tremors, &sum)
      do {
        try limit.check(read)
      } catch {
        limit_relations_free(rows)
        throw error
      }
    }

    deinit { limit_relations_free(rows) }
  }

  func fetch() throws -> Fetched { try Fetched(self) }

  func tremors(inRegionsNamedBy order: [Int32], of records: Records) throws -> Double {
    var sum = 0.0
    try check(limit_relations_tremors_by_name(store, records.pointer, order, Int32(order.count), &sum))
    return sum
  }

  func regions(withTremorAbove magnitude: Double) throws -> (count: Int, sum: Double) {
    var count: Int32 = 0
    var sum = 0.0
    try check(limit_relations_regions_by_magnitude(store, magnitude, &count, &sum))
    return (Int(count), sum)
  }
}
