import Botany
import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Key paths of a subclass are others than those of its superclass, and sorting must know each by its steps.
@Suite struct InheritedSortTests {
  /// A sort, and the order that it must give.
  private struct Sorting<Model: PersistentModel> {
    let descriptor: (SortOrder) -> SortDescriptor<Model>
    let sign: (Model, Model) -> Int

    init<Value: Comparable>(
      _ value: @escaping (Model) -> Value?, _ descriptor: @escaping (SortOrder) -> SortDescriptor<Model>
    ) {
      self.descriptor = descriptor
      sign = { left, right in
        switch (value(left), value(right)) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let a?, let b?): a < b ? -1 : b < a ? 1 : 0
        }
      }
    }
  }

  private static var lynxes: [Sorting<Lynx>] {
    [
      Sorting({ $0.name }, { SortDescriptor(\Lynx.name, comparator: .localized, order: $0) }),
      Sorting({ $0.opt?.name }, { SortDescriptor(\Lynx.opt?.name, comparator: .localized, order: $0) }),
      Sorting({ $0.home?.name }, { SortDescriptor(\Lynx.home?.name, comparator: .localized, order: $0) }),
      Sorting({ $0.home?.name }, { SortDescriptor(\Lynx.home?.name, order: $0) }),
      Sorting({ $0.home?.name }, { SortDescriptor(\Lynx.home?.name, comparator: .lexical, order: $0) }),
      Sorting({ $0.home?.street }, { SortDescriptor(\Lynx.home?.street, order: $0) }),
      Sorting({ $0.lair?.name }, { SortDescriptor(\Lynx.lair?.name, order: $0) }),
      Sorting({ $0.opt?.x }, { SortDescriptor(\Lynx.opt?.x, order: $0) }),
      Sorting({ $0.opt?.name }, { SortDescriptor(\Lynx.opt?.name, order: $0) }),
      Sorting({ $0.spare?.x }, { SortDescriptor(\Lynx.spare?.x, order: $0) }),
      Sorting({ $0.pt.x }, { SortDescriptor(\Lynx.pt.x, order: $0) }),
      Sorting({ $0.alias }, { SortDescriptor(\Lynx.alias, order: $0) }),
      Sorting({ $0.weight }, { SortDescriptor(\Lynx.weight, order: $0) }),
    ]
  }

  private static var cubs: [Sorting<Cub>] {
    [
      Sorting({ $0.home?.name }, { SortDescriptor(\Cub.home?.name, order: $0) }),
      Sorting({ $0.lair?.name }, { SortDescriptor(\Cub.lair?.name, order: $0) }),
      Sorting({ $0.opt?.x }, { SortDescriptor(\Cub.opt?.x, order: $0) }),
      Sorting({ $0.milk?.x }, { SortDescriptor(\Cub.milk?.x, order: $0) }),
    ]
  }

  private static var beasts: [Sorting<Beast>] {
    [
      Sorting({ $0.home?.name }, { SortDescriptor(\Beast.home?.name, order: $0) }),
      Sorting({ $0.opt?.x }, { SortDescriptor(\Beast.opt?.x, order: $0) }),
    ]
  }

  private static var balls: [Sorting<Ball>] {
    [
      Sorting({ $0.lynx?.home?.name }, { SortDescriptor(\Ball.lynx?.home?.name, comparator: .localized, order: $0) }),
      Sorting({ $0.lynx?.name }, { SortDescriptor(\Ball.lynx?.name, comparator: .localized, order: $0) }),
      Sorting({ $0.lynx?.name }, { SortDescriptor(\Ball.lynx?.name, order: $0) }),
      Sorting({ $0.lynx?.alias }, { SortDescriptor(\Ball.lynx?.alias, order: $0) }),
      Sorting({ $0.lynx?.weight }, { SortDescriptor(\Ball.lynx?.weight, order: $0) }),
      Sorting({ $0.lynx?.lives }, { SortDescriptor(\Ball.lynx?.lives, order: $0) }),
      Sorting({ $0.lynx?.home?.name }, { SortDescriptor(\Ball.lynx?.home?.name, order: $0) }),
      Sorting({ $0.lynx?.lair?.name }, { SortDescriptor(\Ball.lynx?.lair?.name, order: $0) }),
      Sorting({ $0.lynx?.pt.x }, { SortDescriptor(\Ball.lynx?.pt.x, order: $0) }),
      Sorting({ $0.lynx?.opt?.name }, { SortDescriptor(\Ball.lynx?.opt?.name, order: $0) }),
      Sorting({ $0.cub?.name }, { SortDescriptor(\Ball.cub?.name, order: $0) }),
      Sorting({ $0.cub?.home?.name }, { SortDescriptor(\Ball.cub?.home?.name, order: $0) }),
      Sorting({ $0.cub?.lair?.street }, { SortDescriptor(\Ball.cub?.lair?.street, order: $0) }),
      Sorting({ $0.cub?.milk?.x }, { SortDescriptor(\Ball.cub?.milk?.x, order: $0) }),
    ]
  }

  private func check<Model: PersistentModel>(
    _ sortings: [Sorting<Model>], _ context: ModelContext, _ stage: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<Model>())
    #expect(all.count > 1, sourceLocation: sourceLocation)
    for (number, sorting) in sortings.enumerated() {
      for order in [SortOrder.forward, .reverse] {
        let expected = all.sorted { left, right in
          let sign = sorting.sign(left, right) * (order == .forward ? 1 : -1)
          return sign == 0 ? left._$header.pointee.rowID < right._$header.pointee.rowID : sign < 0
        }
        let comment: Comment = "\(Model.self) \(number) \(order) \(stage)"
        var descriptor = FetchDescriptor<Model>(sortBy: [sorting.descriptor(order)])
        let found = try context.fetch(descriptor)
        #expect(found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), comment)
        (descriptor.fetchLimit, descriptor.fetchOffset) = (2, 1)
        let page = try context.fetch(descriptor)
        #expect(page.map(ObjectIdentifier.init) == expected.dropFirst().prefix(2).map(ObjectIdentifier.init), comment)
      }
    }
  }

  private func checkAll(_ context: ModelContext, _ stage: String) throws {
    try check(Self.lynxes, context, stage)
    try check(Self.cubs, context, stage)
    try check(Self.beasts, context, stage)
    try check(Self.balls, context, stage)
  }

  /// Ties and nil in each property.
  private func fill(_ context: ModelContext) {
    let dens = [Den("m", street: "q"), Den("c"), Den("m", street: "b")]
    dens.forEach(context.insert)
    context.insert(Beast("plain", home: dens[1]))
    func adorn(_ lynx: Lynx, _ number: Int) {
      if number % 3 != 0 { lynx.opt = Site(name: "s\(number % 2)", x: Double(-number % 4), y: 0) }
      if number % 2 != 0 { lynx.spare = Site(name: "", x: Double(number % 5), y: 0) }
      if number % 4 != 1 { lynx.lair = dens[(number + 1) % 3] }
      if number % 4 != 2 { lynx.alias = "a\(9 - number % 3)" }
      lynx.pt.x = Double(number % 3)
    }
    for number in 0..<12 {
      let home = number % 4 == 3 ? nil : dens[number % 3]
      let name = ["f", "d", "x", "d", "k"][number % 5]
      let (lynx, cub) = (Lynx(name, home: home, lives: 9 - number % 4), Cub(name, home: home, lives: number % 2))
      adorn(lynx, number)
      adorn(cub, number + 1)
      if number % 3 != 1 { cub.milk = Site(name: "", x: Double(number % 2), y: 1) }
      context.insert(lynx)
      context.insert(cub)
      context.insert(Ball(number, lynx: number % 5 == 4 ? nil : lynx, cub: number % 3 == 2 ? nil : cub))
    }
    context.insert(Ball(100))
  }

  @Test(arguments: StoreLocation.allCases)
  func inheritedPropertiesSortThroughOptionals(_ place: StoreLocation) throws {
    let store = try TestStore(place, Beast.self, Lynx.self, Cub.self, Den.self, Ball.self)
    let context = store.context()
    fill(context)
    try checkAll(context, "pending")
    try context.save()
    try checkAll(context, "saved")
    let other = store.context()
    try checkAll(other, "fresh")
    for den in try other.fetch(FetchDescriptor<Den>()) { den.name = den.street ?? "z" }
    try checkAll(other, "dens edited")
    for (number, lynx) in try other.fetch(FetchDescriptor<Lynx>()).enumerated() {
      if number % 2 == 0 { lynx.name = "e\(number % 3)" }
      if number % 3 == 0 { lynx.home = nil }
      if number % 5 == 0 { lynx.opt = nil }
      lynx.pt.x = -lynx.pt.x
    }
    try checkAll(other, "lynxes edited")
    try other.save()
    try checkAll(store.context(), "edits saved")
  }

  @Test(arguments: StoreLocation.allCases)
  func inheritedMembersOfOptionalCompositesAreAggregated(_ place: StoreLocation) throws {
    let store = try TestStore(place, Beast.self, Lynx.self, Cub.self, Den.self, Ball.self)
    let context = store.context()
    fill(context)
    for _ in 0..<2 {
      #expect(Set(try context.distinct(\Lynx.opt?.name)) == [nil, "s0", "s1"])
      #expect(Set(try context.distinct(\Cub.milk?.x)) == [nil, 0, 1])
      #expect(Set(try context.distinct(\Lynx.pt.x)) == [0, 1, 2])
      try context.save()
    }
  }

  /// What is no column is still refused, with its name.
  @Test func othersAreRefused() throws {
    let store = try TestStore(.memory, Beast.self, Lynx.self, Cub.self, Den.self, Ball.self)
    let context = store.context()
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Ball>(sortBy: [SortDescriptor(\.lynx?.shout)]))
    }
    #expect("\(try #require(error))".contains("Ball.lynx"))
    #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Lynx>(sortBy: [SortDescriptor(\.home?.beasts.count)]))
    }
  }

  /// The superclass's properties are another module's.
  @Test func propertiesOfAnotherModuleSortThroughOptionals() throws {
    let container = try plantContainer()
    let context = ModelContext(container)
    for (number, garden) in ["m", nil, "c"].enumerated() {
      let oak = Oak(code: "o\(number)", name: ["x", "y", "w"][number], height: 1, acorns: number)
      context.insert(oak)
      if let garden { oak.garden = Garden(name: garden) }
      if number != 0 { oak.place = Bed(row: -number, column: 0) }
      let keeper = Keeper(name: "k\(number)")
      context.insert(keeper)
      keeper.favourite = oak
    }
    for stage in ["pending", "saved"] {
      func codes(_ descriptors: SortDescriptor<Oak>...) throws -> [String] {
        try context.fetch(FetchDescriptor<Oak>(sortBy: descriptors)).map(\.code)
      }
      #expect(try codes(SortDescriptor(\.garden?.name)) == ["o1", "o2", "o0"], "\(stage)")
      #expect(try codes(SortDescriptor(\.place?.row, order: .reverse)) == ["o1", "o2", "o0"], "\(stage)")
      let keepers = try context.fetch(FetchDescriptor<Keeper>(sortBy: [SortDescriptor(\.favourite?.garden?.name)]))
      #expect(keepers.map(\.name) == ["k1", "k2", "k0"], "\(stage)")
      #expect(Set(try context.distinct(\Oak.place?.row)) == [nil, -1, -2], "\(stage)")
      try context.save()
    }
  }

  @Test func stepsToOnePropertyAreTheSameFromEachClass() {
    let steps = KeyPathSteps.properties(of: Cub._$layout)
    #expect(Set(steps).count == steps.count)
    #expect(steps.starts(with: KeyPathSteps.properties(of: Beast._$layout)))
    #expect(KeyPathSteps.text(\Cub.name) == KeyPathSteps.text(\Beast.name))
    #expect(KeyPathSteps.text(\Cub.name) != KeyPathSteps.text(\Cub.pt.name))
    #expect(
      KeyPathSteps.text(\Cub.home?.name) == KeyPathSteps.text(\Beast.home) + "?" + KeyPathSteps.text(\Den.name) + "?")
    #expect(KeyPathSteps.text(\Site.name) == ".name")
  }
}

extension Lynx {
  fileprivate var shout: String { name.uppercased() }
}
