import Foundation
import LarderSupport

/// The changes of one transaction, decoded from the history.
struct HistoryRecord {
  /// The changes by entity name.
  let entities: [String: Entity]

  struct Entity {
    let inserted: RowRuns
    let updated: [(properties: [String], rows: RowRuns)]
    let deleted: RowRuns
    let tombstones: [Int64: [String: _StoredValue]]

    /// The number of changed rows.
    var rowCount: Int64 { inserted.count + deleted.count + updated.reduce(0) { $0 + $1.rows.count } }
    var isEmpty: Bool { rowCount == 0 }
  }

  var rowCount: Int64 { entities.values.reduce(0) { $0 + $1.rowCount } }

  init(_ text: String) throws {
    entities = try JSONDecoder().decode([String: Entity].self, from: Data(text.utf8))
    if rowCount > RowRuns.maximumCount {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "More rows than a store has."))
    }
  }
}

extension HistoryRecord.Entity: Decodable {
  private enum CodingKeys: String, CodingKey {
    case inserted, updated, deleted, tombstones
  }

  private struct Update: Decodable {
    let properties: [String]
    let rows: RowRuns
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    inserted = try values.decodeIfPresent(RowRuns.self, forKey: .inserted) ?? RowRuns([])
    deleted = try values.decodeIfPresent(RowRuns.self, forKey: .deleted) ?? RowRuns([])
    let updates = try values.decodeIfPresent([Update].self, forKey: .updated) ?? []
    updated = updates.map { ($0.properties, $0.rows) }
    let stones = try values.decodeIfPresent([String: [String: PreservedValue]].self, forKey: .tombstones) ?? [:]
    var tombstones: [Int64: [String: _StoredValue]] = [:]
    for (row, values) in stones {
      if let row = Int64(row) { tombstones[row] = values.mapValues(\.value) }
    }
    self.tombstones = tombstones
  }
}

extension RowRuns: Decodable {
  init(from decoder: any Decoder) throws {
    let values = try decoder.singleValueContainer()
    guard let runs = RowRuns(numbers: try values.decode([Int64].self)) else {
      throw DecodingError.dataCorruptedError(in: values, debugDescription: "These are no rows.")
    }
    self = runs
  }
}

/// A preserved value of a deleted row.
private struct PreservedValue: Decodable {
  let value: _StoredValue

  init(from decoder: any Decoder) throws {
    let values = try decoder.singleValueContainer()
    if values.decodeNil() {
      value = .null
      return
    }
    let pair = try values.decode([String: String].self).first
    let stored: _StoredValue? =
      switch pair?.key {
      case "integer": pair.flatMap { Int64($0.value) }.map { .integer($0) }
      case "real": pair.flatMap { Double($0.value) }.map { .real($0) }
      case "text": pair.map { .text($0.value) }
      case "blob": pair.flatMap { Data(base64Encoded: $0.value) }.map { .blob(Array($0)) }
      default: nil
      }
    guard let stored else {
      throw DecodingError.dataCorruptedError(in: values, debugDescription: "This is no stored value.")
    }
    value = stored
  }
}
