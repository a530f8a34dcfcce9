import Foundation
import LarderData
import SwiftData
import Testing

/// Relationships beyond the 63rd property of a model, which share a bit in the mask of changes with attributes: an edit of an
/// attribute is none of theirs.
@Suite struct BroadTests {
  private func all(_ context: ModelContext) throws -> [Broad] {
    try context.fetch(FetchDescriptor<Broad>(sortBy: [SortDescriptor(\.number)]))
  }

  /// Two contexts with their objects of three rows.
  private func meet(
    _ policy: MergePolicy = .mergeByPropertyObjectTrump
  ) throws -> (store: TestStore, theirs: ModelContext, their: [Broad], ours: ModelContext, our: [Broad]) {
    let store = try TestStore(.memory, Broad.self, BroadMark.self)
    let theirs = try store.saved([Broad(0), Broad(1), Broad(2)] + [BroadMark(7)])
    let ours = store.context()
    ours.mergePolicy = policy
    let our = try all(ours)
    _ = (our[0].mate, our[1].mateOf, our[1].parts.count, our[1].marks.count)
    return (store, theirs, try all(theirs), ours, our)
  }

  /// - Parameter isPending: Whether the attribute is edited before others save.
  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite], [false, true])
  func whatOthersRelatedIsShownBesideAnEdit(_ policy: MergePolicy, _ isPending: Bool) throws {
    let (store, theirs, their, ours, our) = try meet(policy)
    func edit() { for broad in our { broad.note = "edited" } }
    if isPending { edit() }
    their[0].mate = their[1]
    their[0].parent = their[1]
    their[1].marks = try theirs.fetch(FetchDescriptor<BroadMark>())
    try theirs.save()
    _ = try all(ours)
    if !isPending { edit() }
    func check(_ broads: [Broad]) {
      #expect(broads[0].mate === broads[1] && broads[1].mateOf === broads[0])
      #expect(broads[0].parent === broads[1] && broads[1].parts.map(\.number) == [0])
      #expect(broads[1].marks.map(\.number) == [7])
    }
    check(our)
    try ours.save()
    check(our)
    check(try all(store.context()))
    #expect(try all(store.context()).allSatisfy { $0.note == "edited" })
  }

  @Test func oneToOneHasOnePartnerBesideAnEdit() throws {
    let (store, theirs, their, ours, our) = try meet()
    their[0].mate = their[1]
    try theirs.save()
    _ = try all(ours)
    our[0].note = "edited"
    our[1].note = "edited"
    our[0].mate = our[2]
    try ours.save()
    let stored = try all(store.context())
    #expect(stored.filter { $0.mateOf != nil }.map(\.number) == [2] && stored[0].mate === stored[2])
    #expect(try store.container.integrityCheck().isEmpty)
  }

  /// A to-one that a list has emptied, or given back, is no edit of the program's own.
  @Test(
    arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite], [false, true])
  func memberThatOthersMovedStaysWhereItIs(_ policy: MergePolicy, _ isBack: Bool) throws {
    for learns in [false, true] {
      let (store, theirs, their, ours, our) = try meet(policy)
      their[0].parent = their[1]
      try theirs.save()
      _ = try all(ours)
      #expect(our[1].parts.count == 1)
      our[1].parts = []
      if isBack { our[1].parts = [our[0]] }
      our[0].note = "edited"
      their[0].parent = their[2]
      try theirs.save()
      if learns { _ = try all(ours) }
      try ours.save()
      for context in [ours, store.context()] {
        let broads = try all(context)
        #expect(broads[0].parent === broads[2] && broads[2].parts.map(\.number) == [0], "learned before: \(learns)")
        #expect(broads[1].parts.isEmpty && broads[0].note == "edited")
      }
    }
  }

  /// Between the look at what others saved and the save's own transaction.
  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
  func whatOthersRelateMeanwhileIsNotTakenBack(_ policy: MergePolicy) throws {
    let (store, theirs, their, ours, our) = try meet(policy)
    our[0].note = "edited"
    let observer = once(ModelContext.willSave, of: ours) {
      their[0].parent = their[2]
      try theirs.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try ours.save()
    let stored = try all(store.context())
    #expect(stored[0].parent === stored[2] && stored[2].parts.map(\.number) == [0])
  }
}
