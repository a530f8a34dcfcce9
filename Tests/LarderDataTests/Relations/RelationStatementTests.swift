import Foundation
import LarderData
import LarderSQLite
import Testing

/// How many statements relationships take: their number follows the shape of the work, not its size.
@Suite struct RelationStatementTests {
  private func filled(_ count: Int, _ members: Int) throws -> TestStore {
    let store = try TestStore(.memory, Family.self, Member.self, Course.self, Student.self)
    let context = store.context()
    for number in 0..<count {
      let family = Family(name: "\(number)")
      family.members = (0..<members).map { Member(name: "\($0)") }
      context.insert(family)
    }
    try context.save()
    return store
  }

  private func prepared(_ count: Int, _ change: (ModelContext) throws -> Void) throws -> Int64 {
    let store = try filled(count, 3)
    let context = store.context()
    try change(context)
    return try store.writing { try context.save() }.status.statementsPrepared
  }

  private func expectConstant(_ change: (ModelContext) throws -> Void) throws {
    let (few, many) = (try prepared(5, change), try prepared(200, change))
    #expect(few == many)
    #expect(many < 30)
  }

  @Test func saveOfManyPreparesNoMoreThanOfFew() throws {
    try expectConstant { context in
      for family in try context.fetch(FetchDescriptor<Family>()) { family.members.append(Member(name: "new")) }
    }
    try expectConstant { context in
      for family in try context.fetch(FetchDescriptor<Family>()) { family.members.reverse() }
    }
    try expectConstant { context in
      let families = try context.fetch(FetchDescriptor<Family>())
      for family in families { family.members.first?.family = families[0] }
    }
    try expectConstant { context in
      let students = (0..<3).map { Student(name: "\($0)") }
      for family in try context.fetch(FetchDescriptor<Family>()) {
        let course = Course(title: family.name)
        course.students = students
        context.insert(course)
      }
    }
  }

  @Test func directionOfAWalkDoesNotMatter() throws {
    let store = try filled(2_000, 2)
    for order in 0..<3 {
      let families = try store.context().fetch(FetchDescriptor<Family>())
      let mixed = families.indices.map { families[$0 * 7_919 % families.count] }
      let walk = order == 0 ? families : order == 1 ? families.reversed() : mixed
      let runs = try store.writing {
        for family in walk { #expect(family.members.count == 2) }
      }.status.statementRuns
      #expect(runs <= 3)
    }
  }

  @Test func objectThatOutlivedItsContextLoadsItsOwn() throws {
    let store = try filled(200, 1)
    let members = try store.context().fetch(FetchDescriptor<Member>())
    let status = try store.writing { #expect(members[5].family?.name == "5") }.status
    #expect(status.statementRuns <= 2)
    #expect(status.machineSteps < 100, "the others' families are not read, since nobody would keep them")
  }

  @Test func faultingAWholeResultIsAStatementForEachBatch() throws {
    let store = try filled(2_000, 2)
    let context = store.context()
    let families = try context.fetch(FetchDescriptor<Family>())
    let runs = try store.writing { #expect(families.reduce(0) { $0 + $1.members.count } == 4_000) }.status.statementRuns
    #expect(runs <= 3)
    let other = store.context()
    let members = try other.fetch(FetchDescriptor<Member>())
    let back = try store.writing { #expect(members.allSatisfy { $0.family != nil }) }.status.statementRuns
    #expect(back <= 6)
  }

  /// Two levels, each with a relationship to look through.
  private func cascade(_ width: Int) throws -> (finding: ConnectionStatus, saving: ConnectionStatus) {
    let store = try TestStore(.memory, Branch.self)
    let context = store.context()
    let root = Branch(number: 0)
    root.twigs = (0..<width).map { number in
      let twig = Branch(number: number)
      twig.twigs = (0..<2).map { Branch(number: $0) }
      return twig
    }
    context.insert(root)
    try context.save()
    let identifier = root.persistentModelID
    let other = store.context()
    let found = try other.existingModel(for: identifier, as: Branch.self)
    let finding = try store.writing {
      other.delete(found)
      let count = try other.fetchCount(FetchDescriptor<Branch>())
      #expect(count == 0)
    }.status
    let saving = try store.writing { try other.save() }.status
    #expect(try store.rows("SELECT count(*) FROM Branch") == [[.integer(0)]])
    return (finding, saving)
  }

  @Test func cascadeFindsALevelWithOneStatement() throws {
    let (few, many) = (try cascade(2), try cascade(300))
    #expect(few.finding.statementRuns == many.finding.statementRuns)
    #expect(many.finding.statementRuns <= 10)
    #expect(few.saving.statementsPrepared == many.saving.statementsPrepared)
  }
}
