import LarderSupport

extension ChangeSet {
  /// What history keeps of it. `Documentation/store-format.md` says how it is written.
  ///
  /// - Returns: nil where there is nothing to keep.
  func historyText() -> [UInt8]? {
    var text = HistoryText()
    text.add("{")
    var isFirst = true
    for entity in entities where !entity.isEmpty {
      if !isFirst { text.add(",") }
      isFirst = false
      text.add(quoting: entity.layout.entityName)
      text.add(":{")
      entity.write(to: &text)
      text.add("}")
    }
    text.add("}")
    return isFirst ? nil : text.bytes
  }
}

extension ChangeSet.Entity {
  fileprivate func write(to text: inout HistoryText) {
    var separator: StaticString = ""
    if !inserted.isEmpty {
      text.add("\"inserted\":")
      RowRuns(inserted).write(to: &text)
      separator = ","
    }
    if !updated.isEmpty {
      text.add(separator)
      text.add("\"updated\":[")
      write(updated, to: &text)
      text.add("]")
      separator = ","
    }
    if !deleted.isEmpty {
      text.add(separator)
      text.add("\"deleted\":")
      RowRuns(deleted).write(to: &text)
      writeTombstones(to: &text)
    }
  }

  /// The rows by the properties that changed; most saves change the same of each.
  private func write(_ updates: [ChangeSet.Update], to text: inout HistoryText) {
    if let mask = updates.first?.mask, updates.allSatisfy({ $0.mask == mask }) {
      return write(updates.map(\.row), changed: mask, to: &text)
    }
    var rows: [PropertyMask: [Int64]] = [:]
    for update in updates { rows[update.mask, default: []].append(update.row) }
    for (place, mask) in rows.keys.inOrder({ $0.rawValue < $1.rawValue }).enumerated() {
      if place > 0 { text.add(",") }
      write(rows[mask] ?? [], changed: mask, to: &text)
    }
  }

  private func write(_ rows: [Int64], changed mask: PropertyMask, to text: inout HistoryText) {
    text.add("{\"properties\":[")
    var isFirst = true
    for property in layout.properties where property.bit & mask != 0 {
      if !isFirst { text.add(",") }
      isFirst = false
      text.add(quoting: property.name)
    }
    text.add("],\"rows\":")
    RowRuns(rows).write(to: &text)
    text.add("}")
  }

  private func writeTombstones(to text: inout HistoryText) {
    guard !tombstones.isEmpty else { return }
    text.add(",\"tombstones\":{")
    for (place, tombstone) in tombstones.enumerated() {
      if place > 0 { text.add(",") }
      text.add(quoting: "\(tombstone.row)")
      text.add(":{")
      for (place, value) in tombstone.values.enumerated() {
        if place > 0 { text.add(",") }
        text.add(quoting: value.column)
        text.add(":")
        text.add(value.value)
      }
      text.add("}")
    }
    text.add("}")
  }
}
