import Foundation
import LarderData
import SwiftData
import Testing

/// Lists that a deletion changed and its undo restores, and that others have changed meanwhile.
@Suite struct UndoSharedListTests {
  enum Deleted: CaseIterable { case member, owner }

  private func member(_ number: Int, _ link: ListLink) -> any Listed {
    link.leadsToCards ? Card(number: number) : Board(number: number)
  }
  private func insert<Model: Listed>(_ model: Model, _ context: ModelContext) { context.insert(model) }
  private func delete<Model: Listed>(_ model: Model, _ context: ModelContext) { context.delete(model) }
  private func all(_ context: ModelContext) throws -> [any Listed] {
    var all: [any Listed] = try context.all(Board.self)
    all += try context.all(Card.self) as [any Listed]
    return all
  }

  /// What is assigned to one afterwards is a difference against what the program was shown, and against what the undo did.
  @Test(arguments: ListLink.allCases.filter { !$0.isOfCards }, Deleted.allCases)
  func whatOthersAddedStaysInAListThatComesBack(_ link: ListLink, _ deleted: Deleted) throws {
    let store = try TestStore(.memory, Board.self, Card.self)
    let other = store.context()
    let theirs = Board(number: 0)
    let free = member(9, link)
    other.insert(theirs)
    insert(free, other)
    theirs.set(link, [1, 2, 3].map { member($0, link) })
    try other.save()
    let (context, manager) = store.undoing()
    let mine = try #require(try all(context).first { $0.number == 0 } as? Board)
    let own = try #require(try all(context).first { $0.number == 9 })
    let members = mine.list(link)
    if deleted == .owner { delete(mine, context) } else { delete(members[1], context) }
    context.processPendingChanges()
    let shown = deleted == .owner ? members : mine.list(link)
    theirs.set(link, theirs.list(link) + [member(4, link)])
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Card>())
    manager.undo()
    mine.set(link, shown + [own])
    let expected: Set = deleted == .owner ? [1, 2, 3, 4, 9] : [1, 3, 4, 9]
    #expect(Set(mine.list(link).map(\.number)) == expected)
    try context.save()
    let stored = try #require(try all(store.context()).first { $0.number == 0 })
    #expect(Set(stored.list(link).map(\.number)) == expected)
  }
}
