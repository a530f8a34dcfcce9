import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

/// Runs the errand of its name when it is encoded, which is when the value before an edit is put by.
struct Busybody: Codable, Equatable {
  var name: String

  static let errands = Locked<[String: @Sendable () -> Void]>([:])

  enum CodingKeys: CodingKey { case name }

  func encode(to encoder: any Encoder) throws {
    Busybody.errands.withLock { $0[name] }?()
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
  }
}

@Model
final class Parlour {
  var number: Int
  /// A list, so that it is encoded: a value by itself has columns of its own.
  var guests: [Busybody]

  init(number: Int, guest: String) {
    self.number = number
    guests = [Busybody(name: guest)]
  }
}

/// A value's own `encode(to:)` edits, or saves, while the value is put by for a rollback.
@Suite struct EditingEncoderTests {
  private struct Scene: @unchecked Sendable {  // Everything runs on the test's own thread.
    let context: ModelContext
    let parlours: [Parlour]
  }

  private func scene(_ name: String) throws -> Scene {
    let container = try ModelContainer(
      for: Parlour.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for number in 0..<3 { context.insert(Parlour(number: number, guest: "\(name) \(number)")) }
    try context.save()
    return Scene(
      context: context, parlours: try context.fetch(FetchDescriptor<Parlour>(sortBy: [SortDescriptor(\.number)])))
  }

  /// - Returns: How often the errand was run.
  private func withErrand(_ name: String, _ errand: @escaping @Sendable () -> Void, _ body: () throws -> Void) rethrows
    -> Int
  {
    let count = Locked(0)
    Busybody.errands.withLock {
      $0[name] = {
        count.withLock { $0 += 1 }
        errand()
      }
    }
    defer { Busybody.errands.withLock { $0[name] = nil } }
    try body()
    return count.withLock { $0 }
  }

  @Test func whatItEditsIsRolledBackAsWell() throws {
    let scene = try scene("editing")
    let parlours = scene.parlours
    let count = withErrand("editing 0") {
      // Something else each time.
      if scene.parlours[1].number == 1 {
        scene.parlours[1].number = 100
      } else {
        scene.parlours[2].guests = [Busybody(name: "moved")]
      }
    } _: {
      parlours[0].guests = [Busybody(name: "new")]
      parlours[0].number = -1
    }
    #expect(count > 0)
    #expect(parlours.map(\.number) == [-1, 100, 2])
    #expect(parlours.flatMap { $0.guests.map(\.name) } == ["new", "editing 1", "moved"])
    scene.context.rollback()
    #expect(parlours.map(\.number) == [0, 1, 2])
    #expect(parlours.flatMap { $0.guests.map(\.name) } == ["editing 0", "editing 1", "editing 2"])
    #expect(!scene.context.hasChanges)
  }

  @Test func whatItSavesIsSaved() throws {
    let scene = try scene("saving")
    let parlours = scene.parlours
    parlours[1].number = 7
    parlours[2].number = 8
    let count = withErrand("saving 0") {
      if scene.context.hasChanges { try? scene.context.save() }
    } _: {
      parlours[0].guests = [Busybody(name: "new")]
    }
    #expect(count > 0)
    try scene.context.save()
    let saved = try ModelContext(scene.context.container).fetch(FetchDescriptor<Parlour>())
    #expect(Set(saved.map(\.number)) == [0, 7, 8])
    #expect(Set(saved.flatMap { $0.guests.map(\.name) }) == ["new", "saving 1", "saving 2"])
  }
}
