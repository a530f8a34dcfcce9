package import LarderData
import LarderSQLite
import SwiftData

/// What a writer's rows must be after its n-th save, by what the saves' plans say; no store is asked.
package struct Ledger: Sendable {
  package let writer: Writer
  /// The last save that is in it.
  package private(set) var save = 0
  /// The save that wrote each slot last.
  private var slots: [Int: Int] = [:]

  package init(_ writer: Writer) { self.writer = writer }

  package mutating func advance(to last: Int) {
    while save < last {
      save += 1
      for operation in writer.plan(save).operations {
        for slot in operation.slots {
          switch operation.action {
          case .put: slots[slot] = save
          case .edit: if slots[slot] != nil { slots[slot] = save }
          case .delete, .deleteMatching: slots[slot] = nil
          }
        }
      }
    }
  }

  /// Compares the store with what was promised: all saves up to `returned`, and of a later one, up to `begun`, all or
  /// nothing.
  ///
  /// - Returns: What is wrong; empty if nothing. The ledger then stands at the store's last save.
  package mutating func problems(in container: ModelContainer, returned: Int, begun: Int) throws -> [String] {
    let context = ModelContext(container)
    let number = writer.number
    let records = try context.fetch(FetchDescriptor(predicate: #Predicate<Milestone> { $0.writer == number }))
    let last = records.first?.save ?? 0
    var problems: [String] = []
    if records.count > 1 { problems.append("\(records.count) rows of progress") }
    if last < returned { problems.append("save \(returned) had returned, the store has \(last)") }
    if last > begun { problems.append("save \(begun) was the last to begin, the store has \(last)") }
    guard problems.isEmpty else { return problems }

    advance(to: last)
    if let record = records.first, record.digest != writer.plan(last).digest {
      problems.append("the progress of save \(last) has another digest")
    }
    let entries = try context.fetch(FetchDescriptor(predicate: #Predicate<Entry> { $0.writer == number }))
    var missing = slots
    for entry in entries {
      guard let expected = missing.removeValue(forKey: entry.slot) else {
        problems.append("after save \(last) there is \(entry.key) of save \(entry.save), which is deleted or twice")
        continue
      }
      if entry.content != writer.content(entry.slot, expected) {
        problems.append("after save \(last), \(entry.key) is not what save \(expected) wrote (it says \(entry.save))")
      }
    }
    problems += missing.map { "after save \(last), slot \($0.key) of save \($0.value) is missing" }
    return problems
  }

  /// What SQLite says of the file; nil if all is well.
  package static func integrityProblem(in container: ModelContainer) throws -> String? {
    let said = try container.store.database.read { try $0.string("PRAGMA integrity_check") }
    return said == "ok" ? nil : "integrity_check: \(said ?? "nothing")"
  }
}
