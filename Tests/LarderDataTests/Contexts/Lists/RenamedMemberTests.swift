import LarderData
import SwiftData
import Testing

/// Lists that a program was shown, and whose members a save gives other rows.
@Suite struct RenamedMemberTests {
  @Model
  final class Stamp {
    @Attribute(.unique) var number: Int
    @Relationship(inverse: \Album.stamps) var albums: [Album] = []
    init(_ number: Int) { self.number = number }
  }

  @Model
  final class Album {
    var stamps: [Stamp] = []
    init() {}
  }

  /// What others have saved meanwhile has each list read anew; what it is a difference to is what was shown.
  @Test(arguments: StoreLocation.allCases, [true, false])
  func memberThatMeetsARowWasShownAsThat(_ place: StoreLocation, _ isMemberFirst: Bool) throws {
    let models: [any PersistentModel.Type] = [Stamp.self, Album.self]
    let store = try TestStore(place, (isMemberFirst ? models : models.reversed()) + [Crate.self])
    let (album, kept) = (Album(), Stamp(1))
    album.stamps = [kept]
    let context = store.context()
    if isMemberFirst { _ = try context.all(Stamp.self) } else { _ = try context.all(Album.self) }
    context.insert(album)
    context.insert(Stamp(2))
    try context.save()
    album.stamps += [Stamp(2)]
    _ = try store.saved([Crate(number: 1)])
    try context.save()
    // Without another look at the list.
    album.stamps = [kept]
    #expect(try context.all(Stamp.self).filter { $0.number == 2 }.flatMap(\.albums).isEmpty)
    #expect(album.stamps.map(\.number) == [1])
    try context.save()
    #expect(try store.context().all(Album.self).map { $0.stamps.map(\.number) } == [[1]])
  }

  /// The same before a store that gives what is inserted rows of its own.
  @Test(arguments: [true, false])
  func memberThatAStoreNamesWasShownAsThat(_ isMemberFirst: Bool) throws {
    let box = CardBox()
    let container = try box.container([Stamp.self, Album.self, Crate.self])
    let (context, other) = (ModelContext(container), ModelContext(container))
    if isMemberFirst { _ = try context.all(Stamp.self) } else { _ = try context.all(Album.self) }
    let (album, kept) = (Album(), Stamp(1))
    album.stamps = [kept]
    context.insert(album)
    try context.save()
    album.stamps += [Stamp(2)]
    other.insert(Crate(number: 1))
    try other.save()
    try context.save()
    album.stamps = [kept]
    #expect(try context.all(Stamp.self).filter { $0.number == 2 }.flatMap(\.albums).isEmpty)
    try context.save()
    #expect(try ModelContext(container).all(Album.self).map { $0.stamps.map(\.number) } == [[1]])
    #expect(
      try ModelContext(try box.container([Stamp.self, Album.self])).all(Stamp.self).map(\.albums.count).sorted() == [
        0, 1,
      ])
  }
}
