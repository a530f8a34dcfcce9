import Foundation
import LarderData
import SwiftData
import Testing

@Model
final class Jetty {
  var name: String
  @Relationship(inverse: \Barge.jetty) var barges: [Barge] = []
  /// The key is the barge's.
  @Relationship(inverse: \Barge.flagOf) var flagship: Barge?

  init(_ name: String) { self.name = name }
}

@Model
final class Barge {
  var name: String
  var jetty: Jetty?
  var flagOf: Jetty?
  /// Nothing leads back.
  var home: Jetty?
  @Relationship(inverse: Barge.itself) var sister: Barge?
  static var itself: AnyKeyPath { \Barge.sister }

  init(_ name: String) { self.name = name }
}

/// Relationships that were changed here, and that lead to what others have deleted since: what was stored is not lost by it.
@Suite struct VanishedLeadTests {
  private struct Port {
    let store: TestStore
    let context: ModelContext
    let jetties: [Jetty]
    let barges: [Barge]

    /// What is stored, and whether this context shows the same.
    func state() throws -> String {
      func told(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Barge>(sortBy: [SortDescriptor(\.name)])).map {
          "\($0.name): \($0.jetty?.name ?? "-") \($0.flagOf?.name ?? "-") \($0.sister?.name ?? "-")"
        }
          + context.fetch(FetchDescriptor<Jetty>(sortBy: [SortDescriptor(\.name)])).map {
            "\($0.name): \($0.barges.map(\.name).sorted().joined()) \($0.flagship?.name ?? "-")"
          }
      }
      let stored = try told(store.context())
      #expect(try told(context) == stored && !context.hasChanges)
      #expect(try store.container.integrityCheck().isEmpty)
      return stored.joined(separator: ", ")
    }

    /// Others delete an object, and this context learns of it.
    func delete<Model: PersistentModel>(_ model: Model, learns: Bool) throws {
      let other = store.context()
      other.delete(try other.existingModel(for: model.persistentModelID, as: Model.self))
      try other.save()
      if learns { _ = try context.fetchCount(FetchDescriptor<Jetty>()) }
    }
  }

  /// Of three barges the first lies at the first of two jetties, is its flagship, and the second's sister.
  private func port(_ place: StoreLocation, _ policy: MergePolicy) throws -> Port {
    let store = try TestStore(place, Jetty.self, Barge.self)
    let barges = ["a", "b", "c"].map { Barge($0) }
    let first = Jetty("1")
    let others = try store.saved([first, Jetty("2")] + barges)
    first.barges = [barges[0]]
    first.flagship = barges[0]
    barges[0].sister = barges[1]
    try others.save()
    let context = store.context()
    context.mergePolicy = policy
    return Port(
      store: store, context: context,
      jetties: try context.fetch(FetchDescriptor<Jetty>(sortBy: [SortDescriptor(\.name)])),
      barges: try context.fetch(FetchDescriptor<Barge>(sortBy: [SortDescriptor(\.name)])))
  }

  private static let policies = [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite]
  private static let former = "a: 1 1 b, b: - - a"

  /// Whether the program sets another to-one of the object that is taken, and when.
  enum Besides: CaseIterable { case nothing, before, after }

  /// The change was one of what goes, and goes with it.
  @Test(arguments: policies, Besides.allCases)
  func whatWasTakenByWhatGoesReturns(_ policy: MergePolicy, _ besides: Besides) throws {
    for (place, learns) in StoreLocation.allCases.flatMap({ [($0, false), ($0, true)] }) {
      func port(_ change: (Port) -> Void) throws -> Port {
        let port = try self.port(place, policy)
        if besides == .before { port.barges[0].home = port.jetties[0] }
        change(port)
        if besides == .after { port.barges[0].home = port.jetties[0] }
        return port
      }
      func check(_ port: Port, _ expected: String) throws {
        try port.context.save()
        #expect(try port.state() == Self.former + expected, "\(place), learned before: \(learns)")
        if besides != .nothing { #expect(port.barges[0].home === port.jetties[0]) }
      }
      let list = try port { $0.jetties[1].barges.append($0.barges[0]) }
      try list.delete(list.jetties[1], learns: learns)
      try check(list, ", c: - - -, 1: a a")

      let flag = try port { $0.jetties[1].flagship = $0.barges[0] }
      try flag.delete(flag.jetties[1], learns: learns)
      try check(flag, ", c: - - -, 1: a a")

      let pair = try port { $0.barges[2].sister = $0.barges[0] }
      try pair.delete(pair.barges[2], learns: learns)
      try check(pair, ", 1: a a, 2:  -")

      let seat = try port { $0.barges[2].flagOf = $0.jetties[0] }
      try seat.delete(seat.barges[2], learns: learns)
      try check(seat, ", 1: a a, 2:  -")
    }
  }

  /// When a context learns of what others have done in two saves.
  enum Learning: CaseIterable { case atTheEnd, afterTheFirst, afterBoth }

  /// The change goes with what goes, and what others have saved since stays as it is.
  @Test(arguments: policies, Learning.allCases)
  func whatOthersHaveMovedIsNotTakenBack(_ policy: MergePolicy, _ learning: Learning) throws {
    for (place, besides) in StoreLocation.allCases.flatMap({ [($0, false), ($0, true)] }) {
      func port(_ place: StoreLocation, _ policy: MergePolicy) throws -> Port {
        let port = try self.port(place, policy)
        if besides { port.barges[0].home = port.jetties[0] }
        return port
      }
      for isDeletedFirst in [false, true] {
        func others<Model: PersistentModel>(
          _ port: Port, delete model: Model, _ move: (ModelContext) throws -> Void
        ) throws {
          for isDeletion in [isDeletedFirst, !isDeletedFirst] {
            if isDeletion {
              try port.delete(model, learns: false)
            } else {
              let other = port.store.context()
              try move(other)
              try other.save()
            }
            let learns = learning == .afterBoth || (learning == .afterTheFirst && isDeletion == isDeletedFirst)
            if learns { _ = try port.context.fetchCount(FetchDescriptor<Jetty>()) }
          }
          try port.context.save()
        }
        func jetty(_ name: String, _ context: ModelContext) throws -> Jetty {
          try #require(try context.fetch(FetchDescriptor<Jetty>(predicate: #Predicate { $0.name == name })).first)
        }
        func barge(_ name: String, _ context: ModelContext) throws -> Barge {
          try #require(try context.fetch(FetchDescriptor<Barge>(predicate: #Predicate { $0.name == name })).first)
        }
        func third(_ context: ModelContext) -> Jetty {
          let third = Jetty("3")
          context.insert(third)
          return third
        }
        let list = try port(place, policy)
        list.jetties[1].barges.append(list.barges[0])
        try others(list, delete: list.jetties[1]) { third($0).barges = [try barge("a", $0)] }
        let listAfter = try list.state()
        #expect(
          listAfter == "a: 3 1 b, b: - - a, c: - - -, 1:  a, 3: a -",
          "\(place), first: \(isDeletedFirst), besides: \(besides)")

        let flag = try port(place, policy)
        flag.jetties[1].flagship = flag.barges[0]
        try others(flag, delete: flag.jetties[1]) { third($0).flagship = try barge("a", $0) }
        let flagAfter = try flag.state()
        #expect(
          flagAfter == "a: 1 3 b, b: - - a, c: - - -, 1: a -, 3:  a",
          "\(place), first: \(isDeletedFirst), besides: \(besides)")

        let pair = try port(place, policy)
        pair.barges[2].sister = pair.barges[0]
        try others(pair, delete: pair.barges[2]) { context in
          let fourth = Barge("d")
          context.insert(fourth)
          fourth.sister = try barge("a", context)
        }
        let pairAfter = try pair.state()
        #expect(
          pairAfter == "a: 1 1 d, b: - - -, d: - - a, 1: a a, 2:  -",
          "\(place), first: \(isDeletedFirst), besides: \(besides)")

        let seat = try port(place, policy)
        seat.barges[2].flagOf = seat.jetties[0]
        try others(seat, delete: seat.barges[2]) { try jetty("1", $0).flagship = try barge("b", $0) }
        let seatAfter = try seat.state()
        #expect(
          seatAfter == "a: 1 - b, b: - 1 a, 1: a b, 2:  -", "\(place), first: \(isDeletedFirst), besides: \(besides)")
      }
    }
  }

  /// A to-one that led to what is deleted here is no edit of the program: others may have led it to another since.
  @Test(arguments: StoreLocation.allCases, policies)
  func whatADeletionLeavesGivesWay(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for learns in [false, true] {
      let port = try port(place, policy)
      port.barges[0].home = port.jetties[0]
      try port.context.save()
      port.context.delete(port.jetties[0])
      if learns { _ = try port.context.fetchCount(FetchDescriptor<Jetty>()) }
      let other = port.store.context()
      let barge = try other.existingModel(for: port.barges[0].persistentModelID, as: Barge.self)
      let second = try other.existingModel(for: port.jetties[1].persistentModelID, as: Jetty.self)
      barge.jetty = second
      barge.flagOf = second
      barge.home = second
      try other.save()
      try port.context.save()
      #expect(port.barges[0].home?.name == "2")
      #expect(try port.state() == "a: 2 2 b, b: - - a, c: - - -, 2: a a", "learned before: \(learns)")
    }
  }

  /// The same between the look at what others saved and the save's own transaction.
  @Test(arguments: StoreLocation.allCases, policies)
  func whatOthersMoveDuringASaveStays(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for isBack in [false, true] {
      let port = try port(place, policy)
      port.jetties[0].barges = []
      if isBack { port.jetties[0].barges = [port.barges[0]] }
      port.barges[0].name = "A"
      let observer = once(ModelContext.willSave, of: port.context) {
        let other = port.store.context()
        let second = try other.existingModel(for: port.jetties[1].persistentModelID, as: Jetty.self)
        second.barges.append(try other.existingModel(for: port.barges[0].persistentModelID, as: Barge.self))
        try other.save()
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try port.context.save()
      #expect(try port.state() == "A: 2 1 b, b: - - A, c: - - -, 1:  A, 2: A -", "\(isBack)")
    }
  }

  /// What the program itself has taken from where it was stays away.
  @Test(arguments: StoreLocation.allCases, policies)
  func whatWasTakenOutBeforeStaysOut(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let list = try port(place, policy)
    list.jetties[0].barges = []
    list.jetties[1].barges.append(list.barges[0])
    try list.delete(list.jetties[1], learns: true)
    try list.context.save()
    #expect(try list.state() == "a: - 1 b, b: - - a, c: - - -, 1:  a")

    let flag = try port(place, policy)
    flag.jetties[1].flagship = flag.barges[0]
    flag.jetties[0].flagship = flag.barges[1]
    try flag.delete(flag.jetties[1], learns: true)
    try flag.context.save()
    #expect(try flag.state() == "a: 1 - b, b: - 1 a, c: - - -, 1: a b")
  }

  /// A to-one that was led there itself, whichever end has the key: the save refuses it, or the store wins.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func aToOneThatIsLedToWhatGoesIsRefused(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for (index, learns) in [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true), (3, false), (3, true)]
    {
      let port = try port(place, policy)
      let last = port.barges[2]
      switch index {
      case 0: port.jetties[0].flagship = last
      case 1: port.barges[0].jetty = port.jetties[1]
      case 2: port.barges[0].flagOf = port.jetties[1]
      default: port.barges[0].sister = last
      }
      let isBarges = index == 0 || index == 3
      if isBarges { try port.delete(last, learns: learns) } else { try port.delete(port.jetties[1], learns: learns) }
      if policy != .mergeByPropertyStoreTrump {
        let error = #expect(throws: SaveError.self) { try port.context.save() }
        #expect(
          error?.code == .referencedRowDeleted
            && error?.properties == [["flagship", "jetty", "flagOf", "sister"][index]])
        #expect(throws: SaveError.self) { try port.context.save() }
        port.context.rollback()
      }
      try port.context.save()
      #expect(try port.state() == Self.former + (isBarges ? ", 1: a a, 2:  -" : ", c: - - -, 1: a a"))
    }
  }

  /// What a deletion has emptied, and gives back with an insert or an undo, is as the program has set it.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func aToOneThatComesBackIsTheProgramsOwn(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let port = try port(place, policy)
    port.barges[0].home = port.jetties[0]
    port.barges[2].jetty = port.jetties[1]
    port.context.delete(port.jetties[1])
    #expect(port.barges[2].jetty == nil)
    port.context.insert(port.jetties[1])
    #expect(port.barges[2].jetty === port.jetties[1])
    try port.delete(port.jetties[1], learns: false)
    if policy == .mergeByPropertyStoreTrump {
      try port.context.save()
    } else {
      let error = #expect(throws: SaveError.self) { try port.context.save() }
      #expect(error?.code == .referencedRowDeleted)
    }
  }

  /// What an undo leads back is as the program had set it before.
  @Test(arguments: StoreLocation.allCases, policies)
  func aToOneThatIsUndoneIsTheProgramsOwn(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let port = try port(place, policy)
    let manager = UndoManager()
    port.context.undoManager = manager
    port.barges[0].jetty = nil
    port.context.processPendingChanges()
    port.barges[0].jetty = port.jetties[1]
    port.context.processPendingChanges()
    manager.undo()
    #expect(port.barges[0].jetty == nil)
    let other = port.store.context()
    let third = Jetty("3")
    other.insert(third)
    try other.existingModel(for: port.barges[0].persistentModelID, as: Barge.self).jetty = third
    try other.save()
    try port.context.save()
    let name = policy == .mergeByPropertyStoreTrump ? "3" : nil
    #expect(port.barges[0].jetty?.name == name)
    #expect(try port.store.context().all(Barge.self).first { $0.name == "a" }?.jetty?.name == name)
  }

  /// Others have moved a former partner, of which nobody has been told when an object is given another one.
  @Test(arguments: StoreLocation.allCases, policies)
  func aPartnerThatOthersMovedBeforeIsTheirs(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for (looks, end) in [(false, 0), (true, 0), (false, 1), (true, 1), (false, 2), (true, 2)] {
      let port = try port(place, policy)
      if looks { _ = (port.jetties.map { $0.flagship?.name }, port.barges.map { $0.sister?.name }) }
      let other = port.store.context()
      func theirs<Model: PersistentModel>(_ model: Model) throws -> Model {
        try other.existingModel(for: model.persistentModelID, as: Model.self)
      }
      let (second, third) = (try theirs(port.barges[1]), try theirs(port.barges[2]))
      if end == 2 { third.sister = second } else { second.flagOf = try theirs(port.jetties[0]) }
      try other.save()
      switch end {
      case 0: port.barges[0].flagOf = port.jetties[1]
      case 1: port.jetties[1].flagship = port.barges[0]
      default:
        let fourth = Barge("d")
        port.context.insert(fourth)
        port.barges[0].sister = fourth
      }
      try port.context.save()
      let expected =
        end == 2
        ? "a: 1 1 d, b: - - c, c: - - b, d: - - a, 1: a a, 2:  -" : "a: 1 2 b, b: - 1 a, c: - - -, 1: a b, 2:  a"
      #expect(try port.state() == expected, "\(looks), \(end)")
    }
  }

  /// Who is told of it leads it to another, or to none.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatIsRefusedMayBeLedToAnother(_ place: StoreLocation, _ isNone: Bool) throws {
    let port = try port(place, .mergeByPropertyObjectTrump)
    port.jetties[0].flagship = port.barges[2]
    port.jetties[1].name = "20"
    try port.delete(port.barges[2], learns: true)
    #expect(throws: SaveError.self) { try port.context.save() }
    port.jetties[0].flagship = isNone ? nil : port.barges[1]
    try port.context.save()
    #expect(try port.state() == "a: 1 - b, b: - \(isNone ? "-" : "1") a, 1: a \(isNone ? "-" : "b"), 20:  -")
  }

  /// A policy that is set later decides anew.
  @Test(arguments: StoreLocation.allCases)
  func aPolicyThatIsSetLaterDecides(_ place: StoreLocation) throws {
    let port = try port(place, .mergeByPropertyObjectTrump)
    port.jetties[0].flagship = port.barges[2]
    try port.delete(port.barges[2], learns: true)
    #expect(throws: SaveError.self) { try port.context.save() }
    port.context.mergePolicy = .mergeByPropertyStoreTrump
    try port.context.save()
    #expect(try port.state() == Self.former + ", 1: a a, 2:  -")
  }
}
