import Foundation
import LarderData
import SwiftData
import Testing

/// A store is handed both ends of what changed, whichever of them somebody read.
@Suite struct FarEndTests {
  let cabinet = Cabinet()

  private func context() throws -> ModelContext {
    ModelContext(
      try cabinet.container(
        Family.self, Member.self, Course.self, Student.self, Person.self, Permit.self, Node.self, Article.self,
        Tag.self, Picture.self, Beast.self, Lynx.self, Cub.self, Den.self))
  }

  /// Saves models by a container of its own.
  ///
  /// - Returns: A context of another, which has read nothing.
  private func saved(_ models: any PersistentModel...) throws -> ModelContext {
    let first = try context()
    for model in models { first.insert(model) }
    try first.save()
    cabinet.saves = []
    return try context()
  }

  private func related(_ model: any PersistentModel, _ name: String) -> Set<PersistentIdentifier> {
    Set(cabinet.models[model.persistentModelID]?.relationships[name] ?? [])
  }

  private func set(_ models: (any PersistentModel)...) -> Set<PersistentIdentifier> {
    Set(models.map(\.persistentModelID))
  }

  /// What the last save handed over as updated, each once.
  private func updated() -> Set<PersistentIdentifier> {
    let names = cabinet.saves.last?.updated.map(\.persistentIdentifier) ?? []
    #expect(Set(names).count == names.count)
    return Set(names)
  }

  /// Roe with Ann and Bob, and Doe with Zoe, of which nobody has read the lists.
  private struct Families {
    let context: ModelContext
    let roe: Family
    let doe: Family
    let ann: Member
    let bob: Member
    let zoe: Member
  }

  private func families(_ context: ModelContext? = nil) throws -> Families {
    let own = try self.context()
    if cabinet.models.isEmpty {
      let (roe, doe) = (Family(name: "Roe"), Family(name: "Doe"))
      roe.members = [Member(name: "Ann"), Member(name: "Bob")]
      doe.members = [Member(name: "Zoe")]
      for family in [roe, doe] { own.insert(family) }
      try own.save()
      cabinet.saves = []
    }
    let context = try context ?? self.context()
    let families = try context.all(Family.self)
    let members = try context.all(Member.self)
    func family(_ name: String) throws -> Family { try #require(families.first { $0.name == name }) }
    func member(_ name: String) throws -> Member { try #require(members.first { $0.name == name }) }
    return Families(
      context: context, roe: try family("Roe"), doe: try family("Doe"), ann: try member("Ann"), bob: try member("Bob"),
      zoe: try member("Zoe"))
  }

  // MARK: To-ones and their lists

  @Test func insertedMember() throws {
    let all = try families()
    let eve = Member(name: "Eve", family: all.roe)
    all.context.insert(eve)
    try all.context.save()
    #expect(cabinet.saves.count == 1 && updated() == set(all.roe))
    #expect(cabinet.models[all.roe.persistentModelID]?.relationships["members"]?.last == eve.persistentModelID)
    #expect(related(all.roe, "members") == set(all.ann, all.bob, eve))
    #expect(try context().all(Family.self).first { $0.name == "Roe" }?.members.map(\.name) == ["Ann", "Bob", "Eve"])
  }

  @Test func movedMember() throws {
    let all = try families()
    all.ann.family = all.doe
    try all.context.save()
    #expect(updated() == set(all.ann, all.roe, all.doe))
    #expect(related(all.roe, "members") == set(all.bob) && related(all.doe, "members") == set(all.zoe, all.ann))
    all.ann.family = nil
    try all.context.save()
    #expect(updated() == set(all.ann, all.doe))
    #expect(related(all.doe, "members") == set(all.zoe))
  }

  @Test func deletedMember() throws {
    let all = try families()
    all.context.delete(all.ann)
    try all.context.save()
    #expect(updated() == set(all.roe) && related(all.roe, "members") == set(all.bob))
  }

  /// Owners of which the context has no object.
  @Test func ownersThatNobodyHolds() throws {
    let all = try families()
    let (roe, bob) = (all.roe.persistentModelID, all.bob.persistentModelID)
    let context = try self.context()
    let members = try context.all(Member.self)
    try #require(members.first { $0.name == "Ann" }).family = nil
    try context.save()
    #expect(updated().count == 2 && updated().contains(roe))
    #expect(related(all.roe, "members") == [bob])
    context.delete(try #require(members.first { $0.name == "Bob" }))
    try context.save()
    #expect(updated() == [roe] && related(all.roe, "members").isEmpty)
    // Nothing is noted of what was handed over before.
    try #require(members.first { $0.name == "Zoe" }).name = "Zoë"
    try context.save()
    #expect(updated().map(\.entityName) == ["Member"])
  }

  /// What comes back leads to rows whose objects nobody has.
  @Test func ownersOfWhatIsUndone() throws {
    let all = try families()
    let context = try self.context()
    let manager = UndoManager()
    context.undoManager = manager
    let members = try context.all(Member.self)
    context.delete(try #require(members.first { $0.name == "Ann" }))
    try context.save()
    try #require(members.first { $0.name == "Bob" }).family = nil
    try context.save()
    #expect(related(all.roe, "members").isEmpty)
    manager.undo()
    try context.save()
    #expect(related(all.roe, "members") == set(all.bob) && updated() == set(all.roe, all.bob))
    manager.undo()
    try context.save()
    #expect(related(all.roe, "members").count == 2 && updated() == set(all.roe))
  }

  @Test func deletedOwnersAreNotHandedOver() throws {
    let all = try families()
    all.context.delete(all.ann)
    all.context.delete(all.roe)
    all.zoe.name = "Zoë"
    try all.context.save()
    #expect(updated() == set(all.zoe) && cabinet.saves.last?.deleted.count == 3)
    #expect(Set(cabinet.models.keys) == set(all.doe, all.zoe))
  }

  @Test func whatTheStoreRefusedIsHandedOverWithTheNextSave() throws {
    let all = try families()
    all.ann.family = all.doe
    cabinet.beforeSave = { throw CocoaError(.fileWriteOutOfSpace) }
    #expect(throws: CocoaError.self) { try all.context.save() }
    cabinet.beforeSave = {}
    try all.context.save()
    #expect(updated() == set(all.ann, all.roe, all.doe))
    all.ann.name = "Anna"
    try all.context.save()
    #expect(updated() == set(all.ann))
  }

  @Test func ofItsOwnModel() throws {
    let (top, under, other) = (Node(name: "top"), Node(name: "under"), Node(name: "other"))
    under.parent = top
    let context = try saved(top, under, other)
    let nodes = try context.all(Node.self)
    func node(_ name: String) throws -> Node { try #require(nodes.first { $0.name == name }) }
    try node("under").parent = try node("other")
    try context.save()
    #expect(try updated() == set(node("top"), node("under"), node("other")))
    #expect(try related(node("top"), "children").isEmpty && related(node("other"), "children") == set(node("under")))
  }

  @Test func ofASubclass() throws {
    let den = Den("den")
    let context = try saved(Lynx("a", home: den, lives: 9), Cub("b", home: den, lives: 9), Beast("c", home: den))
    cabinet.below = ["Beast": ["Lynx", "Cub"], "Lynx": ["Cub"]]
    let cub = try #require(try context.all(Cub.self).first)
    let home = try #require(cub.home)
    cub.home = nil
    cub.lair = home
    try context.save()
    #expect(updated() == set(cub, home))
    #expect(related(home, "beasts").count == 2 && related(home, "lynxes") == set(cub))
  }

  // MARK: Pairs

  @Test func pairs() throws {
    let (art, law) = (Course(title: "art"), Course(title: "law"))
    let (ann, bob) = (Student(name: "Ann"), Student(name: "Bob"))
    ann.courses = [art]
    bob.courses = [art, law]
    let context = try saved(ann, bob)
    let students = try context.all(Student.self)
    let courses = try context.all(Course.self)
    let first = try #require(students.first { $0.name == "Ann" })
    let second = try #require(students.first { $0.name == "Bob" })
    let one = try #require(courses.first { $0.title == "art" })
    let two = try #require(courses.first { $0.title == "law" })
    first.courses.append(two)
    try context.save()
    #expect(updated() == set(first, two) && related(two, "students") == set(first, second))
    first.courses.removeAll { $0 === one }
    try context.save()
    #expect(updated() == set(first, one) && related(one, "students") == set(second))
    second.courses.reverse()
    try context.save()
    #expect(updated() == set(second))
    context.delete(second)
    try context.save()
    #expect(updated() == set(one, two))
    #expect(related(one, "students").isEmpty && related(two, "students") == set(first))
  }

  /// Those at either end of a pair, of which the context has no object.
  @Test(arguments: [true, false]) func pairsThatNobodyHolds(_ deletesStudent: Bool) throws {
    let (art, ann, bob) = (Course(title: "art"), Student(name: "Ann"), Student(name: "Bob"))
    art.students = [ann, bob]
    let context = try saved(art)
    if deletesStudent {
      context.delete(try #require(try context.all(Student.self).first { $0.name == "Ann" }))
    } else {
      context.delete(try #require(try context.all(Course.self).first))
    }
    try context.save()
    #expect(updated() == (deletesStudent ? set(art) : set(ann, bob)))
    #expect(related(art, "students") == (deletesStudent ? set(bob) : []) && related(ann, "courses").isEmpty)
    #expect(related(bob, "courses") == (deletesStudent ? set(art) : []))
  }

  /// The same of a to-one that another one mirrors, whichever of the two has the key.
  @Test(arguments: [true, false]) func oneToOneThatNobodyHolds(_ byPermit: Bool) throws {
    let (ann, permit) = (Person(name: "Ann"), Permit(number: "1"))
    ann.permit = permit
    let context = try saved(ann)
    if byPermit {
      context.delete(try #require(try context.all(Permit.self).first))
    } else {
      context.delete(try #require(try context.all(Person.self).first))
    }
    try context.save()
    #expect(updated() == (byPermit ? set(ann) : set(permit)))
    #expect(related(ann, "permit").isEmpty && related(permit, "holder").isEmpty)
  }

  @Test func pairsThatNothingLeadsBackFrom() throws {
    let article = Article(title: "news")
    article.tags = [Tag(name: "a"), Tag(name: "b")]
    let context = try saved(article)
    let kept = try #require(try context.all(Article.self).first)
    let tags = try context.all(Tag.self)
    context.delete(try #require(tags.first { $0.name == "a" }))
    try context.save()
    #expect(updated() == set(kept))
    #expect(try related(kept, "tags") == set(#require(tags.first { $0.name == "b" })))
  }

  @Test(arguments: [true, false]) func oneToOne(_ byPermit: Bool) throws {
    let (ann, bob) = (Person(name: "Ann"), Person(name: "Bob"))
    let (old, new) = (Permit(number: "old"), Permit(number: "new"))
    ann.permit = old
    bob.permit = new
    let context = try saved(ann, bob)
    let people = try context.all(Person.self)
    let permits = try context.all(Permit.self)
    let first = try #require(people.first { $0.name == "Ann" })
    let second = try #require(people.first { $0.name == "Bob" })
    let mine = try #require(permits.first { $0.number == "old" })
    let theirs = try #require(permits.first { $0.number == "new" })
    if byPermit { theirs.holder = first } else { first.permit = theirs }
    try context.save()
    #expect(updated() == set(first, second, mine, theirs))
    #expect(related(first, "permit") == set(theirs) && related(theirs, "holder") == set(first))
    #expect(related(second, "permit").isEmpty && related(mine, "holder").isEmpty)
    if byPermit { context.delete(theirs) } else { context.delete(first) }
    try context.save()
    #expect(updated() == (byPermit ? set(first) : set(theirs)))
    #expect(related(first, "permit").isEmpty && related(theirs, "holder").isEmpty)
  }

  // MARK: What the store has by now

  @Test(arguments: [true, false]) func editOfAnotherContainerIsNotOverwritten(_ isRead: Bool) throws {
    let all = try families()
    if isRead { #expect(all.roe.members.count == 2) }
    let other = try families()
    other.roe.name = "Poe"
    other.context.insert(Member(name: "Max", family: other.roe))
    try other.context.save()
    all.context.insert(Member(name: "Eve", family: all.roe))
    try all.context.save()
    #expect(try cabinet.values(all.roe.persistentModelID)["name"] as? String == "Poe")
    let poe = try #require(try context().all(Family.self).first { $0.name == "Poe" })
    #expect(poe.members.map(\.name).sorted() == ["Ann", "Bob", "Eve", "Max"])
    #expect(try all.context.all(Family.self).contains { $0.name == "Poe" } && all.roe.members.count == 4)
  }

  @Test func editOfAnOwnerThatNobodyHoldsIsNotOverwritten() throws {
    let context = try self.context()
    let other = try families()
    let ann = try #require(try context.all(Member.self).first { $0.name == "Ann" })
    other.roe.name = "Poe"
    try other.context.save()
    context.delete(ann)
    try context.save()
    #expect(try cabinet.values(other.roe.persistentModelID)["name"] as? String == "Poe")
    #expect(related(other.roe, "members") == set(other.bob))
  }

  @Test func membersThatAnotherContainerMovedStayMoved() throws {
    let all = try families()
    let other = try families()
    other.bob.family = other.doe
    try other.context.save()
    all.context.insert(Member(name: "Eve", family: all.roe))
    try all.context.save()
    #expect(related(all.roe, "members").count == 2 && !related(all.roe, "members").contains(all.bob.persistentModelID))
    #expect(related(all.doe, "members") == set(all.zoe, all.bob) && related(all.bob, "family") == set(all.doe))
    #expect(try all.context.all(Family.self).count == 2 && all.bob.family === all.doe)
  }

  @Test func ownerThatAnotherContainerDeleted() throws {
    let all = try families()
    let other = try families()
    other.context.delete(other.doe)
    try other.context.save()
    cabinet.saves = []
    all.ann.family = all.doe
    let error = #expect(throws: SaveError.self) { try all.context.save() }
    #expect(error?.code == .referencedRowDeleted && cabinet.saves.isEmpty)
    all.ann.family = nil
    try all.context.save()
    #expect(updated() == set(all.ann, all.roe) && related(all.roe, "members") == set(all.bob))
  }

  @Test func theStoreIsAskedOnceForEachModel() throws {
    let all = try families()
    cabinet.filter = { _, _ in true }
    cabinet.fetches = []
    all.ann.family = all.doe
    all.bob.family = all.doe
    try all.context.save()
    #expect(cabinet.fetches == ["Family"])
    all.ann.name = "Anna"
    all.context.insert(Member(name: "Eve"))
    try all.context.save()
    #expect(cabinet.fetches == ["Family"])
    // What is edited itself is handed over as it is.
    all.doe.name = "Poe"
    all.zoe.family = nil
    try all.context.save()
    #expect(cabinet.fetches == ["Family"] && updated() == set(all.doe, all.zoe))
    all.context.delete(all.bob)
    cabinet.cache = set(all.doe)
    try all.context.save()
    #expect(cabinet.fetches == ["Family"] && cabinet.cachedAsked.last == all.doe.persistentModelID)
    #expect(updated() == set(all.doe) && related(all.doe, "members") == set(all.ann))
  }

  @Test func storesThatKeepNoListsAreNotAskedForAllMembers() throws {
    let cabinet = cabinet
    cabinet.rewrite = { [unowned cabinet] in try? cabinet.edited($0) { $0["members"] = nil } }
    let all = try families()
    cabinet.filter = { _, _ in true }
    cabinet.rewrite = { _ in nil }
    cabinet.fetches = []
    all.ann.family = all.doe
    try all.context.save()
    #expect(cabinet.fetches == ["Family"])
    #expect(all.doe.members.map(\.name) == ["Zoe", "Ann"] && all.roe.members.map(\.name) == ["Bob"])
  }

  /// Lists that somebody has written who did not know better.
  @Test func listsGiveWayToTheToOnesOfWhatIsInThem() throws {
    let all = try families()
    try cabinet.edit(all.roe.persistentModelID) { $0["members"] = [Any]() }
    #expect(try all.context.all(Family.self).count == 2)
    #expect(all.roe.members.map(\.name).sorted() == ["Ann", "Bob"] && all.ann.family === all.roe)
    let list = try cabinet.values(all.doe.persistentModelID)["members"]
    try cabinet.edit(all.roe.persistentModelID) { $0["members"] = list }
    #expect(try all.context.all(Family.self).count == 2)
    #expect(all.zoe.family === all.doe && all.doe.members.map(\.name) == ["Zoe"] && all.roe.members.count == 2)
    // What is saved then mends them.
    all.context.insert(Member(name: "Eve", family: all.roe))
    try all.context.save()
    #expect(related(all.roe, "members").count == 3 && related(all.roe, "members").isSuperset(of: set(all.ann, all.bob)))
  }

  @Test func insertThatTheStoreHasAlreadyIsNamedInTheList() throws {
    let all = try families()
    let bob = all.bob.persistentModelID
    cabinet.known = { $0.persistentIdentifier.entityName == "Member" ? bob : nil }
    all.context.insert(Member(name: "Robert", family: all.doe))
    try all.context.save()
    #expect(related(all.doe, "members") == set(all.zoe, all.bob) && related(all.bob, "family") == set(all.doe))
    #expect(try all.context.all(Member.self).count == 3 && all.bob.family === all.doe)
  }
}
