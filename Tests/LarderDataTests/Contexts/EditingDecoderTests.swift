import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Runs the errand of its number when it is decoded, which is when it is given back by a rollback.
private struct Intruder: Codable, Equatable {
  var number: Int

  @TaskLocal static var errands: Errands?

  final class Errands: @unchecked Sendable {  // Everything runs on the test's own thread.
    var onDecode: (() -> Void)?
    var onEncode: (() -> Void)?

    /// Once: it may come to be read or written again by what it does.
    func run(_ errand: ReferenceWritableKeyPath<Errands, (() -> Void)?>) {
      guard let action = self[keyPath: errand] else { return }
      self[keyPath: errand] = nil
      action()
    }
  }

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    number = try values.decode(Int.self)
    Intruder.errands?.run(\.onDecode)
  }

  func encode(to encoder: any Encoder) throws {
    Intruder.errands?.run(\.onEncode)
    var values = encoder.unkeyedContainer()
    try values.encode(number)
  }
}

@Model
private final class Cell {
  var name: String
  var number: Int
  var intruder: Intruder

  init(_ name: String) {
    self.name = name
    number = 0
    intruder = Intruder(0)
  }
}

/// A value's own `init(from:)` edits, inserts, deletes or saves in the midst of a rollback.
@Suite struct EditingDecoderTests {
  private final class Scene {
    let context: ModelContext
    let cells: [Cell]
    let errands = Intruder.Errands()

    init() throws {
      let container = try ModelContainer(
        for: Cell.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      context = ModelContext(container)
      context.autosaveEnabled = false
      for number in 0..<3 { context.insert(Cell("c\(number)")) }
      try context.save()
      cells = try context.fetch(FetchDescriptor<Cell>(sortBy: [SortDescriptor(\.name)]))
    }

    private static func texts(_ cells: [Cell]) -> [String] {
      cells.map { "\($0.name) \($0.number) \($0.intruder.number)" }
    }

    var texts: [String] { Scene.texts(cells) }

    func stored() throws -> [String] {
      Scene.texts(try ModelContext(context.container).fetch(FetchDescriptor<Cell>(sortBy: [SortDescriptor(\.name)])))
    }

    func rollback() { Intruder.$errands.withValue(errands) { context.rollback() } }
  }

  private static let unchanged = ["c0 0 0", "c1 0 0", "c2 0 0"]

  /// What it edits is taken back, too, wherever that is, and the context goes on well.
  @Test(arguments: 0..<8)
  func edits(_ number: Int) throws {
    let scene = try Scene()
    let cells = scene.cells
    if number & 1 != 0 { cells[1].name = "x" }
    if number & 2 != 0 { (cells[0].number, cells[2].number) = (1, 1) }
    cells[0].intruder = Intruder(5)
    if number & 4 != 0 { cells[0].name = "y" }
    scene.errands.onDecode = {
      cells[1].number = 42
      cells[0].number = 43
      cells[0].name = "z"
    }
    scene.rollback()
    #expect(scene.errands.onDecode == nil)
    #expect(scene.texts == Self.unchanged && !scene.context.hasChanges)
    #expect(scene.context.changedModelsArray.isEmpty)
    cells[1].name = "kept"
    try scene.context.save()
    #expect(try scene.stored() == ["c0 0 0", "c2 0 0", "kept 0 0"])
    cells[2].number = 7
    scene.rollback()
    #expect(scene.texts == ["c0 0 0", "kept 0 0", "c2 0 0"])
  }

  @Test func insertsAndDeletes() throws {
    let scene = try Scene()
    let extra = Cell("extra")
    scene.cells[0].intruder = Intruder(5)
    scene.errands.onDecode = {
      scene.context.insert(extra)
      scene.context.delete(scene.cells[2])
    }
    scene.rollback()
    #expect(scene.texts == Self.unchanged && extra.modelContext == nil)
    // A deletion by a type's own coding is put off until the context is at rest, and is one of its own then.
    #expect(scene.context.deletedModelsArray.count == 1 && scene.context.insertedModelsArray.isEmpty)
    scene.context.rollback()
    #expect(!scene.context.hasChanges)
    scene.context.insert(extra)
    try scene.context.save()
    #expect(try scene.stored() == Self.unchanged + ["extra 0 0"])
  }

  /// What is being taken back is not saved.
  @Test func saves() throws {
    let scene = try Scene()
    scene.cells[0].intruder = Intruder(5)
    scene.cells[1].number = 41
    scene.context.delete(scene.cells[2])
    scene.errands.onDecode = { try? scene.context.save() }
    scene.rollback()
    #expect(!scene.context.hasChanges && scene.errands.onDecode == nil)
    #expect(scene.texts == Self.unchanged)
    #expect(try scene.stored() == Self.unchanged)
  }

  /// What is noted of a first edit is what the store has, though a save comes between.
  @Test(arguments: [false, true])
  func savesWhileAFormerValueIsNoted(hasAnother: Bool) throws {
    let scene = try Scene()
    let cells = scene.cells
    if hasAnother { cells[1].number = 1 }
    scene.errands.onEncode = {
      cells[0].intruder = Intruder(7)
      try? scene.context.save()
      if hasAnother { cells[1].number = 2 }
    }
    Intruder.$errands.withValue(scene.errands) { cells[0].intruder = Intruder(9) }
    scene.rollback()
    #expect(!scene.context.hasChanges)
    #expect(try scene.stored() == scene.texts)
    #expect(cells[0].intruder == Intruder(7))
  }
}
