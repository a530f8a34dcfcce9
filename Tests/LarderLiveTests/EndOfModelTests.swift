import LarderData
import SwiftData
import Synchronization
import Testing

/// What a model does as it ends; set while a test runs.
private let atEnd = Mutex(AtEnd())

/// A closure that stands in a mutex by itself is wrapped anew by every look at it.
private struct AtEnd { var body: (@Sendable () -> Void)? }

@Model
final class Buoy {
  var number: Int
  var group: String
  init(_ number: Int, group: String = "") {
    self.number = number
    self.group = group
  }
  deinit { atEnd.withLock { $0.body }?() }
}

/// The end of a model may use whatever was showing it: caches that are trimmed, counts that are shown.
@Suite(.serialized) struct EndOfModelTests {
  // @unchecked: used by one thread.
  private final class Scene: @unchecked Sendable {
    let container: ModelContainer
    let context: ModelContext
    var observer: ResultsObserver<Buoy, Never>?
    var sectioned: ResultsObserver<Buoy, String>?
    var undoManager: UndoManager?
    var ends = 0
    var seen: [Int] = []
    private var isCounting = false

    init(_ count: Int) throws {
      container = try ModelContainer(
        for: Buoy.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let theirs = ModelContext(container)
      for number in 0..<count { theirs.insert(Buoy(number, group: "\(number % 2)")) }
      try theirs.save()
      context = ModelContext(container)
    }

    /// Uses all that there is whenever a model ends.
    func whileModelsEnd(_ body: () throws -> Void) rethrows {
      atEnd.withLock { $0.body = { [unowned self] in look() } }
      defer { atEnd.withLock { $0.body = nil } }
      try body()
    }

    private func look() {
      ends += 1
      if let observer { seen.append(observer.results.count) }
      if let sectioned { seen.append(sectioned.sections?.count ?? -1) }
      if let undoManager {
        _ = (undoManager.canUndo, undoManager.canRedo, undoManager.undoActionName)
        undoManager.registerUndo(withTarget: self) { _ in }
      }
      _ = (context.hasChanges, context.insertedModelsArray.count, context.deletedModelsArray.count)
      count()
    }

    /// While anything is pending a count makes objects, which end with it: their ends do not count again, which would
    /// never be over.
    private func count() {
      if isCounting { return }
      isCounting = true
      defer { isCounting = false }
      _ = try? context.fetchCount(FetchDescriptor<Buoy>())
    }

    func deleteElsewhere(_ predicate: Predicate<Buoy>) throws {
      let theirs = ModelContext(container)
      try theirs.delete(model: Buoy.self, where: predicate)
      try theirs.save()
    }
  }

  @Test func resultsAreRead() throws {
    let scene = try Scene(4)
    let observer = try ResultsObserver<Buoy, Never>(modelContext: scene.context, isolation: nil)
    scene.observer = observer
    #expect(observer.results.count == 4)
    try scene.deleteElsewhere(#Predicate { $0.number == 0 })
    scene.whileModelsEnd {
      #expect(observer.results.count == 3)
      observer.filterBy = #Predicate { $0.number == 1 }
      #expect(observer.results.count == 1)
    }
    #expect(scene.ends == 3 && scene.seen.last == 1)
  }

  @Test func sectionsAreRead() throws {
    let scene = try Scene(4)
    let observer = try ResultsObserver<Buoy, String>(
      sectionBy: \.group, modelContext: scene.context, isolation: nil)
    scene.sectioned = observer
    #expect(observer.sections?.count == 2)
    try scene.deleteElsewhere(#Predicate { $0.group == "1" })
    scene.whileModelsEnd { #expect(observer.sections?.count == 1) }
    #expect(scene.ends == 2)
  }

  @Test func batchesAreRead() throws {
    let scene = try Scene(6)
    let batches = try scene.context.fetch(FetchDescriptor<Buoy>(sortBy: [SortDescriptor(\.number)]), batchSize: 2)
    let numbers = Mutex<[Int]>([])
    atEnd.withLock { $0.body = { numbers.withLock { $0.append(1) } } }
    defer { atEnd.withLock { $0.body = nil } }
    #expect(batches.map(\.number) == [0, 1, 2, 3, 4, 5])
    #expect(numbers.withLock { $0.count } == 4)
  }

  @Test func undoIsAskedFor() throws {
    let scene = try Scene(2)
    let manager = UndoManager()
    scene.undoManager = manager
    scene.context.undoManager = manager
    try scene.whileModelsEnd {
      for round in 0..<4 {
        for number in 0..<3 {
          let buoy = Buoy(number)
          scene.context.insert(buoy)
          scene.context.processPendingChanges()
          if number == 1 { scene.context.delete(buoy) }
        }
        scene.context.processPendingChanges()
        switch round {
        case 0: scene.context.rollback()
        case 1:
          manager.undo()
          manager.removeAllActions()
        case 2:
          manager.levelsOfUndo = 1
          manager.removeAllActions(withTarget: scene.context)
          manager.levelsOfUndo = 0
        default:
          try scene.context.save()
          manager.undo()
        }
      }
      scene.context.undoManager = nil
    }
    #expect(scene.ends > 0)
  }
}
