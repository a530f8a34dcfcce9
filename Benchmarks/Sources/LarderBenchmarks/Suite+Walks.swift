import SwiftData

// Many-to-many lists, walked there and back: each is read once, however many there are.

/// One end of a many-to-many relationship.
@Model
final class Album {
  var number: Int
  var songs: [Song] = []

  init(number: Int) { self.number = number }
}

/// The other end.
@Model
final class Song {
  var number: Int
  var albums: [Album] = []

  init(number: Int) { self.number = number }
}

extension Suite {
  /// From the fewer albums to the more, eight times as many. A context keeps 1,024 loaded lists of such a relationship.
  private static let walkSizes = [500, 4_000]
  private static let songs = 3

  func walks() async throws {
    let limit = try stores.limit(.flat)
    try limit.insert(records, records.count)
    for count in Self.walkSizes where count * Self.songs <= records.count {
      let container = try ModelContainer(
        for: Album.self, Song.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let writing = ModelContext(container)
      for number in 0..<count {
        let album = Album(number: number)
        writing.insert(album)
        album.songs = (0..<Self.songs).map { Song(number: $0) }
      }
      try writing.save()
      let context = ModelContext(container)
      let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.number)]))
      // What grows with the number of lists alone.
      let some = Array(order.lazy.filter { $0 < count * Self.songs })
      var links = 0
      try await measure(Self.walkName(count), budget: nil, rows: count * Self.songs) {
        _ = try limit.lookUp(records, some, oneTransaction: true)
      } ours: {
        for album in albums { for song in album.songs { links += song.albums.count } }
      }
      try require(links == count * Self.songs, "each song is on one album")
    }
    try stores.clear()
  }

  private static func walkName(_ count: Int) -> String { "many-to-many: walk there and back, \(count) lists" }

  /// From the fewer to the more.
  func walkGrowth() -> Growth? {
    guard let fewest = Self.walkSizes.min(), let most = Self.walkSizes.max() else { return nil }
    return Growth(
      "many-to-many: walk there and back", from: Self.walkName(fewest), to: Self.walkName(most),
      budget: Budget.pendingGrowth, in: measurements)
  }
}
