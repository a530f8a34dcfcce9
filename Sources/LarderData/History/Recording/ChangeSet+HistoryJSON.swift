import LarderSupport

extension ChangeSet {
  /// Returns the change set in the JSON form of the history, which `Documentation/store-format.md` specifies.
  ///
  /// - Returns: The JSON text, or `nil` if there are no changes.
  func historyJSON() -> [UInt8]? {
    var text = HistoryJSONWriter()
    text.append("{")
    var isFirst = true
    for entity in entities where !entity.isEmpty {
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(quoting: entity.layout.entityName)
      text.append(":{")
      entity.encode(to: &text)
      text.append("}")
    }
    text.append("}")
    return isFirst ? nil : text.bytes
  }
}

extension ChangeSet.Entity {
  fileprivate func encode(to text: inout HistoryJSONWriter) {
    var separator: StaticString = ""
    if !inserted.isEmpty {
      text.append("\"inserted\":")
      RowRuns(inserted).encode(to: &text)
      separator = ","
    }
    if !updated.isEmpty {
      text.append(separator)
      text.append("\"updated\":[")
      encodeUpdates(updated, to: &text)
      text.append("]")
      separator = ","
    }
    if !deleted.isEmpty {
      text.append(separator)
      text.append("\"deleted\":")
      RowRuns(deleted).encode(to: &text)
      encodeTombstones(to: &text)
    }
  }

  /// Encodes the rows grouped by changed properties. Most saves change the same properties of each row.
  private func encodeUpdates(_ updates: [ChangeSet.Update], to text: inout HistoryJSONWriter) {
    if let mask = updates.first?.mask, updates.allSatisfy({ $0.mask == mask }) {
      return encodeUpdates(updates.map(\.row), changed: mask, to: &text)
    }
    var rows: [_PropertyMask: [Int64]] = [:]
    for update in updates { rows[update.mask, default: []].append(update.row) }
    for (place, mask) in rows.keys.inOrder({ $0.rawValue < $1.rawValue }).enumerated() {
      if place > 0 { text.append(",") }
      encodeUpdates(rows[mask] ?? [], changed: mask, to: &text)
    }
  }

  private func encodeUpdates(_ rows: [Int64], changed mask: _PropertyMask, to text: inout HistoryJSONWriter) {
    text.append("{\"properties\":[")
    var isFirst = true
    for property in layout.properties where property.bit & mask != 0 {
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(quoting: property.name)
    }
    text.append("],\"rows\":")
    RowRuns(rows).encode(to: &text)
    text.append("}")
  }

  private func encodeTombstones(to text: inout HistoryJSONWriter) {
    guard !tombstones.isEmpty else { return }
    text.append(",\"tombstones\":{")
    for (place, tombstone) in tombstones.enumerated() {
      if place > 0 { text.append(",") }
      text.append(quoting: "\(tombstone.row)")
      text.append(":{")
      for (place, value) in tombstone.values.enumerated() {
        if place > 0 { text.append(",") }
        text.append(quoting: value.column)
        text.append(":")
        text.append(value.value)
      }
      text.append("}")
    }
    text.append("}")
  }
}
