import Foundation
import LarderData
import SwiftData
import Testing

/// Lists that another container of the same file has changed, while an attribute of their owner is edited here.
@Suite struct ListOfAnotherContainerTests {
  enum Change: CaseIterable {
    case append, remove, reverse
  }

  private func member(_ number: Int, _ link: ListLink) -> any Listed {
    if link.leadsToCards { Card(number: number) } else { Board(number: number) }
  }

  @Test(
    .directly("a data store is handed whole objects, with the lists that its container has read"),
    arguments: ListLink.allCases.filter { !$0.isOfCards }, Change.allCases)
  func editOfAnOwnerKeepsWhatOthersMadeOfItsLists(_ link: ListLink, _ change: Change) throws {
    for policy in MergePolicy.allCases {
      let store = try TestStore(.disk, Board.self, Card.self)
      let there = store.context()
      let board = Board(number: 1)
      there.insert(board)
      board.set(link, (2...4).map { member($0, link) })
      try there.save()
      let elsewhere = ModelContext(try TestStore.open(.disk, store.url, [Board.self, Card.self]))
      elsewhere.mergePolicy = policy
      let own = try #require(try elsewhere.all(Board.self).first { $0.number == 1 })
      _ = try elsewhere.all(Card.self)
      _ = own.list(link)
      own.number = 100

      var list = board.list(link)
      switch change {
      case .append: list.append(member(5, link))
      case .remove: list.removeFirst()
      case .reverse: list.reverse()
      }
      board.set(link, list)
      try there.save()
      let changed = board.list(link).map(\.number)
      try elsewhere.save()

      let found = try #require(try store.context().all(Board.self).first { $0.number == 100 })
      #expect(found.list(link).map(\.number) == changed, "\(policy)")
      #expect(own.list(link).map(\.number) == changed, "\(policy)")
    }
  }
}
