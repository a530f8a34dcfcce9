/// What one save of a writer does: it follows from the seed and the save's number.
///
/// Nothing in it depends on what is stored, so whoever knows the number of the last save knows every row.
package struct SavePlan: Sendable {
  package enum Action: Sendable, CaseIterable {
    /// Inserts objects; where a row has the key, it becomes that row.
    case put
    /// Fetches objects and changes them.
    case edit
    /// Fetches objects and deletes them.
    case delete
    /// Deletes by a predicate.
    case deleteMatching
  }

  package struct PlannedOperation: Sendable {
    package var action: Action
    package var slots: Range<Int>
  }

  package let number: Int
  /// They concern slots that no other operation of the same save does.
  package let operations: [PlannedOperation]
  /// Whether the writer's progress is edited, or inserted anew to be united with its row.
  package let insertsProgress: Bool
  package let digest: Int

  /// Slots of a writer, in as many parts as a save may have operations.
  package static let parts = 4

  package init(seed: UInt64, writer: Int, number: Int, scale: Int) {
    var random = SeededGenerator(seed: seed, writer, number)
    let isBulk = random.next() % 2 == 0
    var operations: [PlannedOperation] = []
    for part in 0..<Self.parts where isBulk || random.next() % 2 == 0 || part == number % Self.parts {
      let longest = isBulk ? scale : max(1, scale / 40)
      let start = part * scale + Int.random(in: 0..<scale, using: &random)
      let end = min(start + Int.random(in: 1...longest, using: &random), (part + 1) * scale)
      // Half of all are inserts, so that there is something to edit and to delete.
      let action = random.next() % 2 == 0 ? .put : Action.allCases.randomElement(using: &random) ?? .put
      operations.append(PlannedOperation(action: action, slots: start..<end))
    }
    self.number = number
    self.operations = operations
    insertsProgress = random.next() % 3 == 0
    digest = Int(truncatingIfNeeded: random.next())
  }
}
