import Foundation
import LarderData
import SwiftData
import Testing

/// Lists that are filled from rows, and lists of all classes.
@Suite(.serialized) struct BreakingAgainLoadingTests: BreakingAgain {
  private typealias Pane = Again.Pane
  private typealias Glass = Again.Glass
  private typealias Mirror = Again.Mirror
  private typealias Frame = Again.Frame
  private typealias Maker = Again.Maker
  private typealias Stain = Again.Stain
  private typealias Named = Again.Named
  private typealias Chest = Again.Chest
  private typealias Trinket = Again.Trinket

  // MARK: Subclasses

  @Test(arguments: StoreLocation.allCases)
  func membersOfAllClassesKeepTheirOrder(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    func make(_ number: Int) -> Pane {
      switch number % 3 {
      case 0: Pane("\(number),")
      case 1: Glass("\(number),", tint: "t")
      default: Mirror("\(number),", tint: "t")
      }
    }
    let frames = (0..<3).map { Frame("\($0)") }
    for frame in frames { context.insert(frame) }
    for number in 0..<60 { frames[number % 2].panes.append(make(number)) }
    try context.save()
    func read() throws -> [String] {
      let frames = try store.context().fetch(FetchDescriptor<Frame>(sortBy: [SortDescriptor(\.name)]))
      for frame in frames { #expect(frame.panes.allSatisfy { $0.frame === frame }) }
      return frames.map(\.titles)
    }
    #expect(try read() == frames.map(\.titles))
    for (number, pane) in frames[0].panes.enumerated() where number % 4 == 1 { frames[2].panes.append(pane) }
    for number in 60..<70 { frames[2].panes.append(make(number)) }
    frames[1].panes.append(frames[1].panes.removeFirst())
    frames[1].panes.insert(make(100), at: 7)
    try context.save()
    #expect(try read() == frames.map(\.titles))
    // A list that is loaded with objects of a class pending that nobody has met here.
    let fresh = store.context()
    let late = Mirror("late", tint: "")
    late.frame = try fresh.fetch(FetchDescriptor<Frame>(sortBy: [SortDescriptor(\.name)]))[2]
    fresh.insert(late)
    #expect(late.frame?.panes.last === late)
    #expect(late.frame?.panes.count == frames[2].panes.count + 1)
  }

  // MARK: Loading

  /// Orders that another program set as high as they can be.
  @Test func appendsAfterTheGreatestOrder() throws {
    let store = try store()
    let seed = store.context()
    let family = Family(name: "f")
    family.members = ["a", "b", "c"].map { Member(name: $0) }
    seed.insert(family)
    try seed.save()
    try store.execute(
      "UPDATE Member SET larder_family_order = \(Int64.max), larder_version = larder_version + 1 WHERE name = 'c'")
    let context = store.context()
    let read = try families(context)[0]
    read.members.append(Member(name: "d"))
    read.members.append(Member(name: "e"))
    try context.save()
    #expect(try stored(store) == ["a", "b", "c", "d", "e"])
    read.members.append(read.members.remove(at: 1))
    try context.save()
    #expect(try stored(store) == ["a", "c", "d", "e", "b"])
  }

  @Test func optionalListThatIsNil() throws {
    let store = try store()
    let context = store.context()
    let glass = Glass("g", tint: "t")
    glass.stains = nil
    context.insert(glass)
    #expect(glass.stains?.isEmpty != false)
    let stain = Stain("1")
    context.insert(stain)
    stain.glass = glass
    #expect(glass.stains == [stain])
    glass.stains?.append(Stain("2"))
    glass.stains = nil
    #expect(stain.glass == nil)
    glass.stains = [stain]
    glass.stains?.append(Stain("3"))
    try context.save()
    let other = store.context()
    let read = try all(other, Glass.self)[0]
    #expect(read.stains?.map(\.text) == ["1", "3"])
    read.stains = nil
    read.stains?.append(Stain("4"))
    let late = Stain("5")
    other.insert(late)
    late.glass = read
    #expect(read.stains?.last === late)
    try other.save()
    #expect(try all(store.context(), Glass.self)[0].stains?.last?.text == "5")
  }

  // MARK: Many

  @Test(arguments: StoreLocation.allCases)
  func manyAppendsInManyLists(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let lists = (0..<40).map { Family(name: String(format: "%02d", $0)) }
    for list in lists { context.insert(list) }
    for number in 0..<4_000 {
      lists[number * 7 % 40].members.append(Member(name: "", age: number))
      if number % 1_000 == 999 { try context.save() }
    }
    let read = try families(store.context())
    for (place, family) in read.enumerated().reversed() {
      #expect(family.members.map(\.age) == (0..<4_000).filter { $0 * 7 % 40 == place })
    }
  }

  // MARK: Classes and coding

  @Test func ownersOfSeveralClassesLoadTheirLists() throws {
    let store = try store(.disk)
    let seed = store.context()
    let maker = Maker("m")
    for number in 0..<30 {
      let pane: Pane
      switch number % 3 {
      case 0: pane = Pane("\(number)")
      case 1: pane = Glass("\(number)", tint: "")
      default: pane = Mirror("\(number)", tint: "")
      }
      seed.insert(pane)
      maker.panes.append(pane)
      for stain in 0..<number % 4 { (pane as? Glass)?.stains?.append(Stain("\(number) \(stain)")) }
    }
    seed.insert(maker)
    try seed.save()
    let context = store.context()
    let read = try all(context, Maker.self)[0].panes
    #expect(read.map(\.title) == (0..<30).map { "\($0)" })
    for pane in read.reversed() {
      guard let glass = pane as? Glass else { continue }
      let number = Int(glass.title) ?? 0
      #expect(glass.stains?.map(\.text) == (0..<number % 4).map { "\(number) \($0)" })
      #expect(glass.stains?.allSatisfy { $0.glass === glass } == true)
      #expect(glass.makers.map(\.name) == ["m"])
    }
  }

  @Test func namesOfGeneratedCodeAreNamesOfProperties() throws {
    let store = try store()
    let context = store.context()
    let named = Named()
    context.insert(named)
    named.value = 1
    named.key = "k"
    named.row = 2
    named.mask = [3]
    named.property.append(named)
    named.state = true
    named.header = Data([1])
    named.place = 4
    named.newValue = 5
    named.initialValue = "i"
    named.model = Maker("m")
    named.box = ["b": 6]
    try context.save()
    let read = try all(store.context(), Named.self)[0]
    #expect(read.value == 1 && read.key == "k" && read.row == 2 && read.mask == [3] && read.binder === read)
    #expect(read.property == [read] && read.state == true && read.header == Data([1]) && read.place == 4)
    #expect(read.newValue == 5 && read.initialValue == "i" && read.model?.name == "m" && read.box == ["b": 6])
  }

  enum Slyness: CaseIterable { case append, delete, move, rollback, fetch, unload, insert }

  /// A value's decoding changes the list that is being loaded.
  @Test(arguments: Slyness.allCases)
  func decodingChangesTheListThatIsLoaded(_ slyness: Slyness) throws {
    let store = try store(.disk)
    let seed = store.context()
    let chests = [Chest("a"), Chest("b")]
    for (place, chest) in chests.enumerated() {
      seed.insert(chest)
      for number in 0..<4 { chest.trinkets.append(Trinket(place * 10 + number)) }
    }
    try seed.save()
    let context = store.context()
    let read = try context.fetch(FetchDescriptor<Chest>(sortBy: [SortDescriptor(\.name)]))
    let known = try #require(
      try context.fetch(FetchDescriptor<Trinket>(predicate: #Predicate { $0.number == 2 })).first)
    let extra = Trinket(99)
    Again.Sly.whenDecoded = {
      switch slyness {
      case .append: read[0].trinkets.append(extra)
      case .delete: context.delete(known)
      case .move: known.chest = read[1]
      case .rollback: context.rollback()
      case .fetch: _ = try? context.fetch(FetchDescriptor<Trinket>()).map(\.chest?.trinkets.count)
      case .unload: read[1].trinkets = []
      case .insert:
        extra.chest = read[1]
        context.insert(extra)
      }
    }
    _ = read[0].trinkets.count
    Again.Sly.whenDecoded = nil
    for chest in read {
      for trinket in chest.trinkets { #expect(trinket.chest === chest) }
      #expect(Set(chest.trinkets.map(ObjectIdentifier.init)).count == chest.trinkets.count)
    }
    for trinket in try all(context, Trinket.self) {
      #expect(trinket.chest.map { $0.trinkets.contains { $0 === trinket } } != false)
    }
    try context.save()
    try check(store)
    let fresh = try store.context().fetch(FetchDescriptor<Chest>(sortBy: [SortDescriptor(\.name)]))
    #expect(fresh.map { $0.trinkets.map(\.number) } == read.map { $0.trinkets.map(\.number) })
  }
}
