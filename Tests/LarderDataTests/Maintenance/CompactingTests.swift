import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Stores that are written anew without the room of what was deleted.
@Suite struct CompactingTests {
  @Test(arguments: StoreLocation.allCases)
  func roomIsGivenBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, Family.self)
    let context = try store.saved((1...5_000).map { Crate(number: $0, text: String(repeating: "x", count: 200)) })
    let family = Family(name: "f")
    context.insert(family)
    family.members = (1...10).map { Member(name: "\($0)") }
    try context.save()
    let token = try #require(try context.history().last).token
    try store.container.compact()
    let size = (store.folder.bytes() ?? Data()).count
    try context.delete(model: Crate.self, where: #Predicate { $0.number > 10 })
    try context.save()
    let kept = try context.all(Crate.self).map(\.persistentModelID)

    let gained = try store.container.compact()
    #expect(gained > 500_000)
    if place == .disk { #expect(size - (store.folder.bytes() ?? Data()).count > 500_000) }
    let other = store.context()
    #expect(try other.all(Crate.self).map(\.persistentModelID) == kept)
    #expect(try other.all(Family.self).first?.members.map(\.name) == (1...10).map(String.init))
    #expect(try other.history(#Predicate { $0.token > token }).count == 1)
    #expect(try store.container.integrityCheck() == [])
    // The context that was there goes on.
    family.members.removeLast()
    try context.save()
    #expect(try other.all(Family.self).first?.members.count == 9)
    #expect(try store.container.compact() <= gained)
  }

  @Test func readersAndAReadOnlyStoreAreNotDisturbed() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = try store.saved((1...1_000).map { Crate(number: $0) })
    let reader = try store.container.store.database.checkOut()
    defer { store.container.store.database.checkIn(reader) }
    try reader.beginSnapshot()
    let sql = "SELECT count(*) FROM Crate"
    #expect(try reader.connection.int64(sql) == 1_000)
    try context.delete(model: Crate.self)
    try context.save()
    try store.container.compact()
    #expect(try reader.connection.int64(sql) == 1_000)
    let fixed = try TestStore.open(.disk, store.url, [Crate.self], allowsSave: false)
    let error = #expect(throws: StoreError.self) { try fixed.compact() }
    #expect(error?.code == .readOnly)
  }
}
