import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Values of `.externalStorage` that were changed here and elsewhere, where the store is to win.
@Suite struct ExternalMergeTests {
  private let table = "larder_external_Photo_image"

  private func stored(_ place: StoreLocation, _ policy: MergePolicy) throws -> (TestStore, ModelContext, Photo) {
    let store = try TestStore(place, Photo.self)
    let first = Photo(title: "0", image: Data([1]))
    first.text = "first"
    _ = try store.saved([first, Photo(title: "1", image: Data([2]))])
    let context = store.context()
    context.mergePolicy = policy
    return (store, context, try photo(context))
  }

  private func photo(_ context: ModelContext) throws -> Photo {
    try #require(try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.title == "0" })).first)
  }

  /// Whether the value was read before, and whether another process edits it: of a data store's other users nobody tells.
  private static let ways: [(isLoaded: Bool, elsewhere: Bool)] =
    [(true, false), (false, false)] + (StoreOptions().usesDataStores ? [] : [(true, true), (false, true)])

  private func edit(_ store: TestStore, elsewhere: Bool = false, _ body: (Photo) -> Void) throws {
    let other = elsewhere ? ModelContext(try store.asAnotherProcess()) : store.context()
    body(try photo(other))
    try other.save()
  }

  private func images(_ store: TestStore) throws -> [_StoredValue] {
    try store.rows("SELECT value FROM \(table) ORDER BY row").map { $0[0] }
  }

  /// When the context learns of what others saved.
  enum Learning: CaseIterable { case byAFetch, bySaving, inTheMidstOfASave }

  private func learn(_ learning: Learning, _ context: ModelContext, _ others: @escaping () throws -> Void) throws {
    switch learning {
    case .byAFetch:
      try others()
      _ = try context.fetchCount(FetchDescriptor<Photo>())
    case .bySaving: try others()
    case .inTheMidstOfASave:
      nonisolated(unsafe) var isDone = false
      nonisolated(unsafe) let others = others
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.willSave, object: context, queue: nil
      ) { _ in
        if isDone { return }
        isDone = true
        #expect(throws: Never.self) { try others() }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.save()
      #expect(isDone)
    }
    try context.save()
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func storeWinsForValuesBesideTheRow(_ place: StoreLocation, _ learning: Learning) throws {
    for (isLoaded, elsewhere) in Self.ways {
      let (store, context, photo) = try stored(place, .mergeByPropertyStoreTrump)
      if isLoaded { _ = photo.image }
      photo.image = Data([9])
      photo.size = 77
      try learn(learning, context) {
        try edit(store, elsewhere: elsewhere) { $0.image = Data(repeating: 7, count: 5_000) }
      }
      let what: Comment = "loaded \(isLoaded), by another process \(elsewhere)"
      #expect(photo.image == Data(repeating: 7, count: 5_000), what)
      #expect(photo.size == 77 && !context.hasChanges, what)
      // The losing value is nowhere, and the other's is where it was.
      #expect(try images(store) == [.blob([UInt8](repeating: 7, count: 5_000)), .blob([2])], what)
      #expect(try store.value("SELECT size FROM Photo WHERE title = '0'") == .integer(77), what)
      // What follows is an edit of what is stored.
      photo.image = Data([8])
      context.rollback()
      #expect(photo.image.count == 5_000, what)
      photo.image = Data([8])
      try context.save()
      #expect(try images(store) == [.blob([8]), .blob([2])], what)
    }
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func nilOfTheStoreWinsToo(_ place: StoreLocation, _ learning: Learning) throws {
    let (store, context, photo) = try stored(place, .mergeByPropertyStoreTrump)
    #expect(photo.text == "first")
    photo.text = "mine"
    photo.kind = .raw
    try learn(learning, context) { try edit(store) { $0.text = nil } }
    #expect(photo.text == nil && photo.kind == .raw && !context.hasChanges)
    #expect(try store.rows("SELECT * FROM larder_external_Photo_text").isEmpty)
    #expect(try store.value("SELECT value FROM larder_external_Photo_kind WHERE row = 1") == .text("raw"))
  }

  /// Only edits of what others have changed give way.
  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func editsBesideTheRowOfOtherPropertiesStay(_ place: StoreLocation, _ learning: Learning) throws {
    for (isLoaded, elsewhere) in Self.ways {
      let (store, context, photo) = try stored(place, .mergeByPropertyStoreTrump)
      if isLoaded { _ = photo.image }
      photo.image = Data([9])
      try learn(learning, context) {
        try edit(store, elsewhere: elsewhere) {
          $0.size = 5
          $0.text = "theirs"
        }
      }
      #expect(photo.image == Data([9]) && photo.size == 5 && photo.text == "theirs")
      #expect(try images(store) == [.blob([9]), .blob([2])])
    }
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func objectWinsForValuesBesideTheRow(_ place: StoreLocation, _ learning: Learning) throws {
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let (store, context, photo) = try stored(place, policy)
      _ = photo.image
      photo.image = Data([9])
      try learn(learning, context) { try edit(store) { $0.image = Data([7]) } }
      #expect(photo.image == Data([9]) && !context.hasChanges)
      #expect(try images(store) == [.blob([9]), .blob([2])])
    }
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func refusedEditBesideTheRowIsTakenBackOrGivesWay(_ place: StoreLocation, _ isRolledBack: Bool) throws {
    let (store, context, photo) = try stored(place, .error)
    _ = photo.image
    photo.image = Data([9])
    try edit(store) { $0.image = Data([7]) }
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .mergeConflict && photo.image == Data([9]))
    #expect(try images(store) == [.blob([7]), .blob([2])])
    if isRolledBack {
      context.rollback()
    } else {
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
    }
    #expect(photo.image == Data([7]) && !context.hasChanges)
    #expect(try images(store) == [.blob([7]), .blob([2])])
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func valuesBesideARowThatOthersDeletedAreNotWritten(_ place: StoreLocation, _ learning: Learning) throws {
    let (store, context, photo) = try stored(place, .mergeByPropertyStoreTrump)
    photo.image = Data([9])
    try learn(learning, context) {
      let other = store.context()
      other.delete(try self.photo(other))
      try other.save()
    }
    #expect(photo.modelContext == nil && !context.hasChanges)
    #expect(try images(store) == [.blob([2])])
    #expect(try store.rows("SELECT * FROM larder_external_Photo_text").isEmpty)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test(arguments: StoreLocation.allCases, Learning.allCases)
  func deletionTakesValuesAlongThatOthersChanged(_ place: StoreLocation, _ learning: Learning) throws {
    let (store, context, photo) = try stored(place, .mergeByPropertyStoreTrump)
    photo.image = Data([9])
    context.delete(photo)
    try learn(learning, context) { try edit(store) { $0.image = Data([7]) } }
    #expect(try images(store) == [.blob([2])])
    #expect(try store.rows("SELECT * FROM larder_external_Photo_text").isEmpty)
  }

  @Model
  final class Sheet {
    @Attribute(.unique) var key: String
    @Attribute(.externalStorage) var data: Data?
    var links: [Sheet] = []
    init(_ key: String, _ data: UInt8) {
      self.key = key
      self.data = Data([data])
    }
  }

  /// A list is edited, and an insert gives the row another value, in one save: the others see both.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func insertThatMeetsARowOfWhichAListIsEdited(_ place: StoreLocation, _ byInsert: Bool) throws {
    let store = try TestStore(place, Sheet.self)
    let (first, second) = (Sheet("1", 1), Sheet("2", 1))
    let context = try store.saved([first, second])
    let other = store.context()
    let theirs = try #require(try other.all(Sheet.self).first { $0.key == "1" })
    #expect(theirs.data == Data([1]) && theirs.links.isEmpty)
    let again = Sheet("1", 2)
    context.insert(again)
    if byInsert { again.links = [second] } else { first.links = [second] }
    try context.save()
    #expect(try other.all(Sheet.self).count == 2)
    #expect(theirs.data == Data([2]) && theirs.links.map(\.key) == ["2"])
    first.data = Data([3])
    try context.save()
    _ = try other.all(Sheet.self)
    #expect(theirs.data == Data([3]))
  }
}
