import LarderData
import SwiftData
import Testing

/// What real programs and nasty ones do with relationships: names, relationships to itself, chains.
@Suite struct BreakingRelationTests: BreakingRelations {
  private typealias Human = Tangle.Human
  private typealias Link = Tangle.Link

  // MARK: Names

  @Test(arguments: StoreLocation.allCases) func oddNames(place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let (one, two) = (Tangle.Odd("one"), Tangle.Odd("two"))
    let (a, b) = (Tangle.Odd2("a"), Tangle.Odd2("b"))
    context.insert(one)
    one.target = [two]
    one.order = [a, b]
    two.order = [b]
    one.default = a
    two.default = a
    one.größe = b
    one.家族 = [b, a]
    try context.save()
    try check(store)
    let other = store.context()
    let odds = try other.fetch(FetchDescriptor<Tangle.Odd>(sortBy: [SortDescriptor(\.larder)]))
    #expect(odds[0].target.map(\.larder) == ["two"])
    #expect(odds[1].source?.larder == "one")
    #expect(odds[0].order.map(\.select) == ["a", "b"])
    #expect(odds[0].default?.in.map(\.larder) == ["one", "two"])
    #expect(odds[0].größe?.where === odds[0])
    #expect(odds[0].家族.map(\.select) == ["b", "a"])
    #expect(odds[0].家族[0].group === odds[0])
    func count(_ predicate: Predicate<Tangle.Odd>) throws -> Int {
      try other.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.source?.larder == "one" }) == 1)
    #expect(try count(#Predicate { $0.target.contains { $0.larder == "two" } }) == 1)
    #expect(try count(#Predicate { $0.order.contains { $0.select == "b" } }) == 2)
    #expect(try count(#Predicate { $0.order.count == 2 }) == 1)
    #expect(try count(#Predicate { $0.default?.select == "a" }) == 2)
    #expect(try count(#Predicate { $0.größe?.select == "b" }) == 1)
    #expect(try count(#Predicate { $0.家族.contains { $0.select == "b" } }) == 1)
    #expect(try count(#Predicate { $0.source?.source == nil }) == 2)
    let sorted = try other.fetch(
      FetchDescriptor<Tangle.Odd>(sortBy: [SortDescriptor(\.größe?.select, order: .reverse), SortDescriptor(\.larder)]))
    #expect(sorted.map(\.larder) == ["one", "two"])
    let byWhere = try other.fetch(FetchDescriptor<Tangle.Odd2>(sortBy: [SortDescriptor(\.where?.larder)]))
    #expect(byWhere.map(\.select) == ["a", "b"])
    other.delete(odds[0])
    try other.save()
    try check(store)
    #expect(try all(store.context(), Tangle.Odd.self).map(\.larder) == ["two"])
  }

  // MARK: Symmetric

  @Test(arguments: StoreLocation.allCases) func friends(place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let humans = (0..<5).map { Human("\($0)") }
    for one in humans { context.insert(one) }
    humans[0].friends = Array(humans[1...])
    #expect(humans[1].friends.map(\.name) == ["0"])
    humans[1].friends.append(humans[2])
    humans[3].friends.append(humans[3])
    humans[0].spouse = humans[1]
    try context.save()
    try check(store)
    let other = store.context()
    var found = try other.fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.friends.map(\.name).sorted() } == humans.map { $0.friends.map(\.name).sorted() })
    found[0].friends.removeAll { $0.name == "1" }
    #expect(found[1].friends.map(\.name) == ["2"])
    found[3].friends = []
    try other.save()
    found = try store.context().fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.friends.map(\.name) } == [["2", "4"], ["2"], ["0", "1"], [], ["0"]])
    let last = store.context()
    last.delete(try all(last, Human.self)[0])
    try last.save()
    try check(store)
    #expect(try all(store.context(), Human.self).map { $0.friends.map(\.name) } == [["2"], ["1"], [], []])
  }

  // MARK: One to one, on itself

  @Test(arguments: StoreLocation.allCases) func linkedList(place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let links = (0..<10).map { Link($0) }
    for (one, other) in zip(links, links.dropFirst()) { one.next = other }
    context.insert(links[5])
    links[9].next = links[0]
    try context.save()
    func ring(_ first: Link) -> [Int] {
      var result: [Int] = []
      var link: Link? = first
      while let one = link, result.count < 100 {
        result.append(one.number)
        if let next = one.next { #expect(next.previous === one) }
        link = one.next
        if link === first { break }
      }
      return result
    }
    #expect(ring(links[0]) == Array(0..<10))
    let other = store.context()
    let found = try other.fetch(FetchDescriptor<Link>(sortBy: [SortDescriptor(\.number)]))
    #expect(ring(found[3]) == Array(3..<10) + [0, 1, 2])
    // Takes 5 out, and puts it behind 0.
    let five = found[5]
    five.previous?.next = five.next
    #expect(five.previous == nil && five.next == nil)
    five.next = found[0].next
    found[0].next = five
    #expect(five.previous === found[0])
    #expect(ring(found[0]) == [0, 5, 1, 2, 3, 4, 6, 7, 8, 9])
    try other.save()
    try check(store)
    let third = store.context()
    let again = try third.fetch(FetchDescriptor<Link>(sortBy: [SortDescriptor(\.number)]))
    #expect(ring(again[0]) == [0, 5, 1, 2, 3, 4, 6, 7, 8, 9])
    #expect(
      try third.fetchCount(FetchDescriptor<Link>(predicate: #Predicate { $0.next?.next?.next?.number == 2 })) == 1)
    #expect(
      try third.fetchCount(FetchDescriptor<Link>(predicate: #Predicate { $0.previous?.previous?.number == 0 })) == 1)
    third.delete(again[5])
    #expect(again[0].next == nil)
    #expect(again[1].previous == nil)
    try third.save()
    // To itself, and back.
    again[0].next = again[0]
    #expect(again[0].previous === again[0])
    try third.save()
    #expect(
      try store.context().fetchCount(
        FetchDescriptor<Link>(predicate: #Predicate { ($0.next?.number ?? -1) == $0.number })) == 1
    )
    again[0].next = nil
    #expect(again[0].previous == nil)
    try third.save()
    try check(store)
  }
}
