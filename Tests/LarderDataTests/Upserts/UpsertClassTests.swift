import LarderData
import SwiftData
import Testing

/// Records that name, by a key, objects of one class among those of a hierarchy.
@Suite(.directly("a bulk upsert is of SQLite stores")) struct UpsertClassTests {
  @Model
  class Actor {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  @Model
  final class Singer: Actor {
    var songs: [Song] = []
    @Relationship(inverse: \Choir.singers) var choirs: [Choir] = []
    override init(_ name: String) { super.init(name) }
  }

  @Model
  final class Song {
    @Attribute(.unique) var title: String
    @Relationship(inverse: \Singer.songs) var singer: Singer?
    init(_ title: String) { self.title = title }
  }

  @Model
  final class Choir {
    @Attribute(.unique) var title: String
    var singers: [Singer] = []
    init(_ title: String) { self.title = title }
  }

  @Test(arguments: StoreLocation.allCases)
  func keysOfOtherClassesAreNotFound(_ place: StoreLocation) throws {
    let store = try TestStore(place, Actor.self, Singer.self, Song.self, Choir.self)
    _ = try store.saved([Actor("a"), Singer("s")])
    let songs = try store.container.upsert(["a", "s"], into: Song.self, by: \.title) { song in
      song.set(\.title) { "by \($0)" }
      song.relate(\.singer, by: \.name) { $0 }
    }
    let choirs = try store.container.upsert(["a", "s"], into: Choir.self, by: \.title) { choir in
      choir.set(\.title) { "of \($0)" }
      choir.relate(\.singers, by: \.name) { [$0] }
    }
    #expect(try store.container.integrityCheck().isEmpty)
    let reader = store.context()
    let sung = try reader.all(Song.self).compactMap { $0.singer?.name }
    #expect(sung == ["s"] && songs.inserted + songs.failed == 2)
    #expect(try reader.all(Choir.self).flatMap { $0.singers.map(\.name) } == ["s"])
    #expect(choirs.inserted + choirs.failed == 2)
  }
}
