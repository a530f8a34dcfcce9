import Foundation
import LarderData
import SwiftData
import Testing

@Model
final class Quay {
  var name: String
  @Relationship(inverse: \Boat.quay) var boats: [Boat] = []
  @Relationship(inverse: \Buoy.quay) var buoys: [Buoy] = []
  /// Nothing leads back.
  var passing: [Buoy] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Boat {
  var name: String
  var quay: Quay
  /// Nothing leads back.
  var winter: Quay

  init(_ name: String, _ quay: Quay, winter: Quay) {
    self.name = name
    self.quay = quay
    self.winter = winter
  }
}

@Model
final class Buoy {
  var name: String
  var quay: Quay?

  init(_ name: String) { self.name = name }
}

/// What others have deleted, and this context leads to before it learns of that.
@Suite struct VanishedTargetTests {
  private struct Harbour {
    let store: TestStore
    let (here, there): (ModelContext, ModelContext)

    init(_ place: StoreLocation, _ policy: MergePolicy) throws {
      store = try TestStore(place, Quay.self, Boat.self, Buoy.self)
      (here, there) = (store.context(), store.context())
      here.mergePolicy = policy
      for name in ["a", "b", "c"] { there.insert(Quay(name)) }
      try there.save()
    }

    func quay(_ name: String, _ context: ModelContext) throws -> Quay {
      try #require(try context.fetch(FetchDescriptor<Quay>(predicate: #Predicate { $0.name == name })).first)
    }

    func deleteQuay(_ name: String) throws {
      there.delete(try quay(name, there))
      try there.save()
    }
  }

  /// Whether the to-one has an inverse, and whether the program still has what it leads to.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func whatANewObjectMustLeadToIsRead(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for (isOneWay, isHeld) in [(false, true), (false, false), (true, true), (true, false)] {
      let harbour = try Harbour(place, policy)
      let here = harbour.here
      let boat = try {
        let (a, b) = (try harbour.quay("a", here), try harbour.quay("b", here))
        let boat = Boat("new", isOneWay ? b : a, winter: isOneWay ? a : b)
        here.insert(boat)
        return boat
      }()
      let held = isHeld ? try harbour.quay("a", here) : nil
      try harbour.deleteQuay("a")
      var read: Quay { isOneWay ? boat.winter : boat.quay }
      for _ in 0..<2 {
        #expect(try here.fetch(FetchDescriptor<Boat>()).first === boat)
        #expect(read.name == "a" && read.modelContext == nil && (held == nil || read === held))
        let error = #expect(throws: SaveError.self) { try here.save() }
        #expect(error?.code == .referencedRowDeleted)
      }
      let c = try harbour.quay("c", here)
      if isOneWay { boat.winter = c } else { boat.quay = c }
      try here.save()
      #expect(read === c)
      let stored = try #require(try harbour.store.context().fetch(FetchDescriptor<Boat>()).first)
      #expect((isOneWay ? stored.winter : stored.quay).name == "c")
      #expect(try harbour.store.container.integrityCheck().isEmpty)
    }
  }

  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func whatAStoredObjectIsLedToIsRead(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let harbour = try Harbour(place, policy)
    let here = harbour.here
    let boat = Boat("old", try harbour.quay("c", here), winter: try harbour.quay("b", here))
    here.insert(boat)
    try here.save()
    boat.quay = try harbour.quay("a", here)
    try harbour.deleteQuay("a")
    _ = try here.fetch(FetchDescriptor<Boat>())
    if policy == .mergeByPropertyStoreTrump {
      #expect(boat.quay.name == "c")
      return try here.save()
    }
    #expect(boat.quay.name == "a" && boat.quay.modelContext == nil)
    #expect(throws: SaveError.self) { try here.save() }
    #expect(boat.quay.name == "a")
    here.rollback()
    #expect(boat.quay.name == "c")
  }

  private enum Way: CaseIterable { case before, append, assign, appendOneWay }

  /// A new object that is put into a list is saved, whether its owner was deleted by others before or after that.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func newMembersOfWhatOthersDeletedAreSaved(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for way in Way.allCases {
      for isRead in [false, true] {
        let harbour = try Harbour(place, policy)
        let here = harbour.here
        let quay = try harbour.quay("a", here)
        let identifier = quay.persistentModelID
        if isRead { _ = (quay.buoys.count, quay.passing.count) }
        if way == .before { quay.buoys.append(Buoy("new")) }
        try harbour.deleteQuay("a")
        switch way {
        case .before: break
        case .append: quay.buoys.append(Buoy("new"))
        case .assign:
          let buoy = Buoy("new")
          here.insert(buoy)
          quay.buoys = [buoy]
        case .appendOneWay: quay.passing.append(Buoy("new"))
        }
        if policy == .error {
          let error = #expect(throws: SaveError.self) { try here.save() }
          #expect(error?.code == .rowDeleted)
          here.rollback()
          continue
        }
        // Told on this thread.
        nonisolated(unsafe) var vanished: Set<PersistentIdentifier> = []
        let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: here, queue: nil) {
          vanished.formUnion($0.userInfo?[ModelContext.droppedEditIdentifiersKey] as? [PersistentIdentifier] ?? [])
        }
        try here.save()
        NotificationCenter.default.removeObserver(token)
        #expect(vanished == [identifier], "\(way)")
        for context in [here, harbour.store.context()] {
          let buoys = try context.fetch(FetchDescriptor<Buoy>())
          #expect(buoys.map(\.name) == ["new"] && buoys.first?.quay == nil, "\(way)")
        }
      }
    }
  }
}
