import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

/// Runs what the test's own thread has put by, each time that it is encoded or decoded.
private struct Meddler: Codable, Equatable {
  var number: Int

  @TaskLocal static var deeds: Deeds?

  final class Deeds: @unchecked Sendable {  // Everything runs on the test's own thread.
    var deed: (() -> Void)?

    /// Not within itself: an edit may encode, too.
    func run() {
      guard let deed else { return }
      self.deed = nil
      deed()
      if self.deed == nil, isRepeated { self.deed = deed }
    }

    var isRepeated = false
  }

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    Meddler.deeds?.run()
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Meddler.deeds?.run()
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

@Model
private final class Study {
  var first: Int
  var meddler: Meddler
  var last = 0
  var clerk: Clerk?

  init(_ number: Int) {
    first = number
    meddler = Meddler(number)
  }
}

@Model
private final class Clerk {
  @Attribute(.unique) var number: Int
  var ratio = 0.0

  init(_ number: Int) { self.number = number }
}

/// A value's own `encode(to:)` edits while a save writes rows.
@Suite struct EditsWhileSavingTests {
  private final class Scene {
    let container: ModelContainer
    let context: ModelContext
    let deeds = Meddler.Deeds()
    var studies: [Study]
    var clerks: [Clerk]

    init() throws {
      container = try ModelContainer(
        for: Study.self, Clerk.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      context = ModelContext(container)
      studies = (0..<4).map { Study($0) }
      clerks = (0..<3).map { Clerk($0) }
      for study in studies { context.insert(study) }
      for clerk in clerks { context.insert(clerk) }
      try context.save()
    }

    func save(_ deed: @escaping () -> Void, isRepeated: Bool = false) throws {
      (deeds.deed, deeds.isRepeated) = (deed, isRepeated)
      defer { deeds.deed = nil }
      try Meddler.$deeds.withValue(deeds) { try context.save() }
    }

    private func picture(_ context: ModelContext) throws -> [String] {
      let studies = try context.fetch(FetchDescriptor<Study>()).map {
        "\($0.persistentModelID) \($0.first) \($0.meddler.number) \($0.last) \($0.clerk?.number ?? -1)"
      }
      return (studies + (try context.fetch(FetchDescriptor<Clerk>()).map { "\($0.persistentModelID) \($0.ratio)" }))
        .sorted()
    }

    func here() throws -> [String] { try picture(context) }
    func stored() throws -> [String] { try picture(ModelContext(container)) }
  }

  @Test func editOfAnObjectThatIsWrittenStaysPending() throws {
    let scene = try Scene()
    let study = scene.studies[0]
    study.meddler = Meddler(10)
    // Written before its value is encoded.
    try scene.save { study.first = 7 }
    #expect(study.first == 7 && scene.context.changedModelsArray.map(\.persistentModelID) == [study.persistentModelID])
    #expect(try scene.stored() != scene.here())
    try scene.context.save()
    #expect(try scene.stored() == scene.here() && !scene.context.hasChanges)
  }

  @Test func editOfWhatIsChangedAlreadyStaysPending() throws {
    let scene = try Scene()
    let (study, clerk) = (scene.studies[0], scene.clerks[0])
    (study.first, study.meddler, clerk.ratio) = (5, Meddler(10), 1)
    try scene.save { (study.first, clerk.ratio) = (6, 2) }
    #expect(study.first == 6 && clerk.ratio == 2 && scene.context.hasChanges)
    scene.context.rollback()
    #expect(study.first == 5 && clerk.ratio != 0)
    #expect(try scene.stored() == scene.here())
  }

  @Test func editOfAnInsertThatIsWrittenStaysPending() throws {
    let scene = try Scene()
    let (new, later) = (Study(8), Study(9))
    scene.context.insert(new)
    scene.context.insert(later)
    try scene.save { (new.first, later.last) = (80, 90) }
    #expect(scene.context.changedModelsArray.map(\.persistentModelID) == [new.persistentModelID])
    #expect(new.first == 80 && later.last == 90)
    try scene.context.save()
    #expect(try scene.stored() == scene.here() && !scene.context.hasChanges)
  }

  /// Another context's later save is no conflict with an edit that stayed pending.
  @Test func editThatStaysPendingKnowsTheVersionOfItsRow() throws {
    let scene = try Scene()
    scene.context.mergePolicy = .error
    let study = scene.studies[1]
    scene.studies[0].meddler = Meddler(10)
    try scene.save { study.last = 4 }
    try scene.context.save()
    study.last = 5
    try scene.context.save()
    #expect(try scene.stored() == scene.here())
  }

  @Test func editThatCannotWaitIsAnError() throws {
    let scene = try Scene()
    let study = scene.studies[0]
    study.meddler = Meddler(10)
    let before = try scene.stored()
    let error = #expect(throws: SaveError.self) {
      try scene.save {
        (study.first, study.meddler) = (50, Meddler(11))
        study.clerk = scene.clerks[0]
      }
    }
    #expect(error?.code == .editedWhileSaving && error?.properties == ["clerk"])
    #expect(try scene.stored() == before)
    #expect(study.first == 50 && study.clerk != nil && scene.context.hasChanges)
    scene.context.rollback()
    #expect(try scene.here() == before)
    study.clerk = scene.clerks[0]
    try scene.context.save()
    #expect(try scene.stored() == scene.here())
  }

  @Test(arguments: [false, true])
  func editsOfASaveThatFailsAreRolledBack(hasNumber: Bool) throws {
    let scene = try Scene()
    let before = try scene.stored()
    let study = scene.studies[0]
    study.meddler = Meddler(10)
    if hasNumber { study.first = 20 }
    // Has no stored form.
    scene.clerks[0].ratio = .nan
    #expect(throws: SaveError.self) { try scene.save { study.first = 30 } }
    #expect(study.first == 30)
    scene.clerks[0].ratio = 1
    try scene.context.save()
    #expect(try scene.stored() == scene.here() && study.first == 30)
    study.first = 0
    study.meddler = Meddler(0)
    scene.clerks[0].ratio = 0
    try scene.context.save()
    #expect(try scene.stored() == before)
    study.meddler = Meddler(10)
    if hasNumber { study.first = 20 }
    scene.clerks[0].ratio = .nan
    #expect(throws: SaveError.self) { try scene.save { (study.first, study.meddler) = (30, Meddler(31)) } }
    scene.context.rollback()
    #expect(try scene.here() == before)
  }

  /// What is not pending after a save is stored, and what is pending is stored by the next one, or rolled back.
  @Test(.directly("another store's snapshots hold what is edited meanwhile"), arguments: 0..<40)
  func randomEditsWhileSavingAreStoredOrPending(_ number: UInt64) throws {
    let seed = Share.seed &+ number
    var random = SeededGenerator(seed: seed)
    let scene = try Scene()
    if random.chance(50) {
      scene.studies += [Study(4), Study(5)]
      scene.clerks.append(Clerk(9))
      for study in scene.studies[4...] { scene.context.insert(study) }
      scene.context.insert(scene.clerks[3])
    }
    var count = 100
    func edit() {
      count += 1
      let study = scene.studies.randomElement(using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: study?.first = count
      case 1: study?.last = count
      case 2: study?.meddler = Meddler(count)
      default: scene.clerks.randomElement(using: &random)?.ratio = Double(count)
      }
    }
    for _ in 0..<Int.random(in: 1..<6, using: &random) { edit() }
    try scene.save({ edit() }, isRepeated: random.chance(70))
    let (here, stored) = (try scene.here(), try scene.stored())
    if !scene.context.hasChanges { #expect(here == stored, "seed \(seed)") }
    if random.chance(40) {
      scene.context.rollback()
      #expect(try scene.here() == stored, "seed \(seed)")
    } else {
      try scene.context.save()
      #expect(try scene.stored() == here, "seed \(seed)")
    }
    #expect(!scene.context.hasChanges, "seed \(seed)")
  }

  /// It would save what is just being taken back.
  @Test func updateWithinARollbackIsRefused() throws {
    let scene = try Scene()
    for study in scene.studies { (study.meddler, study.first) = (Meddler(20), 20) }
    var failure: (any Error)?
    scene.deeds.deed = {
      do { try scene.context.updateAndSave(Study.self) { $0.add(1, to: \.last) } } catch { failure = error }
    }
    Meddler.$deeds.withValue(scene.deeds) { scene.context.rollback() }
    #expect((failure as? SaveError)?.code == .savingNotAllowed)
    #expect(scene.studies.map(\.first) == [0, 1, 2, 3] && !scene.context.hasChanges)
    #expect(try scene.stored() == scene.here())
  }
}
