import LarderData
import SwiftData
import TestSeeds
import Testing

/// Walks over many-to-many lists, of which a context keeps so many: each is read a few times at most.
@Suite struct LinkWalkTests {
  private static func fill(_ container: ModelContainer, albums: Int, songs: Int) throws {
    let context = ModelContext(container)
    for number in 0..<albums {
      let album = Album(number)
      context.insert(album)
      album.songs = (0..<songs).map { Song(number * songs + $0) }
    }
    try context.save()
  }

  enum Order: String, CaseIterable, Sendable {
    case forwards, backwards, mixed
  }

  /// - Returns: How many lists were read for each that there is.
  private static func walk(albums: Int, songs: Int, _ order: Order, seed: UInt64) throws -> Double {
    let container = try container()
    try fill(container, albums: albums, songs: songs)
    let context = ModelContext(container)
    var all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.number)]))
    var random = SeededGenerator(seed: seed)
    switch order {
    case .forwards: break
    case .backwards: all.reverse()
    case .mixed: all.shuffle(using: &random)
    }
    var links = 0
    for album in all { for song in album.songs { links += song.albums.count } }
    #expect(links == albums * songs)
    #expect(context.core.relationships.loadedJoinLists.count <= LoadedJoinLists.capacity)
    return Double(context.core.relationships.loadedToManyCount) / Double(albums + albums * songs)
  }

  @Test(arguments: Order.allCases)
  func walkThereAndBackReadsEachListAFewTimes(_ order: Order) throws {
    let seed = Share.seed
    for (albums, songs) in [(1_500, 3), (400, 20), (40, 200)] {
      let times = try Self.walk(albums: albums, songs: songs, order, seed: seed)
      #expect(times < 4, "\(order), \(albums) albums of \(songs) songs: \(times) times, seed \(seed)")
    }
  }
}
