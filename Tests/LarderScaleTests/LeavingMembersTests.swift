import LarderData
import SwiftData
import TestSeeds
import Testing

/// Members that leave lists which were read: each is not sought in all of its list.
@Suite struct LeavingMembersTests {
  enum Way: String, CaseIterable, Sendable {
    case ownerDeleted, membersDeleted, membersDeletedBackwards, membersGoToNobody, membersGoToAnother, everySecondGoes
    case newMembersDeleted, newMembersGoToAnother, newMembersDeletedOneByOne
    case goToNobodyInAnyOrder, goToAnotherInAnyOrder, newOnesGoInAnyOrder, deletedInAnyOrderOneByOne
    case goToAndFroInAnyOrder

    var isOfNewMembers: Bool {
      switch self {
      case .newMembersDeleted, .newMembersGoToAnother, .newMembersDeletedOneByOne, .newOnesGoInAnyOrder: true
      default: false
      }
    }
    var goesOver: Bool {
      switch self {
      case .membersGoToAnother, .newMembersGoToAnother, .goToAnotherInAnyOrder, .newOnesGoInAnyOrder: true
      default: false
      }
    }
    var isBack: Bool { self == .goToAndFroInAnyOrder }
  }

  private static func steps(_ way: Way, _ count: Int) throws -> Int {
    var random = Share.generator
    let container = try container()
    let context = ModelContext(container)
    let (owner, other) = (Owner(), Owner())
    other.name = "other"
    context.insert(owner)
    context.insert(other)
    owner.members = (0..<count).map { Member($0) }
    if !way.isOfNewMembers { try context.save() }
    let members = owner.members
    let before = context.core.relationships.memberRemoval.scannedCount
    switch way {
    case .ownerDeleted: context.delete(owner)
    case .membersDeleted, .newMembersDeleted: for member in members { context.delete(member) }
    case .membersDeletedBackwards: for member in members.reversed() { context.delete(member) }
    case .membersGoToNobody: for member in members { member.owner = nil }
    case .membersGoToAnother, .newMembersGoToAnother: for member in members { member.owner = other }
    case .goToNobodyInAnyOrder: for member in members.shuffled(using: &random) { member.owner = nil }
    case .goToAnotherInAnyOrder, .newOnesGoInAnyOrder:
      for member in members.shuffled(using: &random) { member.owner = other }
    case .deletedInAnyOrderOneByOne:
      for (place, member) in members.shuffled(using: &random).enumerated() {
        context.delete(member)
        #expect(owner.members.count == count - place - 1)
      }
    case .newMembersDeletedOneByOne:
      for (place, member) in members.enumerated() {
        context.delete(member)
        #expect(owner.members.count == count - place - 1)
      }
    case .goToAndFroInAnyOrder:
      for member in members.shuffled(using: &random) { member.owner = other }
      for member in members.shuffled(using: &random) { member.owner = owner }
    case .everySecondGoes: for member in members where member.number % 2 == 0 { member.owner = other }
    }
    let rest = owner.modelContext == nil || owner.isDeleted ? 0 : owner.members.count
    #expect(rest == (way.isBack ? count : way == .everySecondGoes ? count / 2 : 0), "\(way), seed \(Share.seed)")
    try context.save()
    let left = try ModelContext(container).fetch(FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.name)]))
    #expect(left.first { $0.name == "" }?.members.count ?? 0 == rest, "\(way)")
    let moved = way.goesOver ? count : way == .everySecondGoes ? count / 2 : 0
    #expect(left.first { $0.name == "other" }?.members.count == moved, "\(way)")
    return context.core.relationships.memberRemoval.scannedCount - before
  }

  @Test(arguments: Way.allCases)
  func stepsGrowWithTheMembers(_ way: Way) throws {
    let few = try Self.steps(way, 250)
    let many = try Self.steps(way, 1_000)
    #expect(many <= 4 * few + 4_000, "\(way): \(few) steps for 250 members, \(many) for 1,000, seed \(Share.seed)")
  }
}
