import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Properties with names that are words of SQL, or in backticks have what SQL, JSON and lists of names use.
@Suite struct OddNameTests {
  @Model final class `Odd, "box"` {
    @Attribute(.unique) var `table`: String
    var `crates, all`: [OddCrate] = []
    @Relationship(inverse: \`Odd, "box"`.`peers; of`) var `peers, to`: [`Odd, "box"`] = []
    var `peers; of`: [`Odd, "box"`] = []
    init(_ name: String) { `table` = name }
  }

  @Model final class OddCrate {
    #Unique<OddCrate>([\.`a.b`, \.b])
    #Index<OddCrate>([\.`a,b`, \.`a.b`], [\.`a)(b`], [\.select, \.`group by`])
    @Attribute(.unique) var `a,b`: String
    var `a.b`: String = ""
    var b: String = ""
    @Attribute(originalName: "x, \"y\" (z)") var `a)(b`: Int = 0
    var select: Int = 1
    var `group by`: Int = 2
    var `it's`: Int = 3
    var `say "hi"`: String?
    var rowid: Int = 5
    var oid: Int = 6
    // swift-format-ignore: NoLeadingUnderscores, AlwaysUseLowerCamelCase
    var _rowid_: Int = 7
    // swift-format-ignore: IdentifiersMustBeASCII
    var `ünï 😀 --`: Int = 8
    var larder: Int = 9
    @Relationship(inverse: \`Odd, "box"`.`crates, all`) var `box, one`: `Odd, "box"`?
    @Attribute(.externalStorage) var `data, big`: Data?

    init(_ number: Int) {
      `a,b` = "k\(number)"
      `a.b` = "\(number)"
      rowid = number
      oid = 10 - number
      `data, big` = Data([UInt8(number)])
      `say "hi"` = number == 1 ? "hi" : nil
    }
  }

  @Test(arguments: StoreLocation.allCases) func everythingGoesByThem(_ place: StoreLocation) throws {
    typealias Box = `Odd, "box"`
    let store = try TestStore(place, OddCrate.self, Box.self)
    let writer = store.context()
    let (box, other) = (Box("t"), Box("u"))
    writer.insert(box)
    writer.insert(other)
    for number in 0..<3 {
      let crate = OddCrate(number)
      writer.insert(crate)
      crate.`box, one` = box
    }
    box.`peers, to` = [other]
    try writer.save()
    writer.insert(OddCrate(2))
    try writer.save()
    for context in [writer, store.context()] {
      func rowids(_ predicate: Predicate<OddCrate>, _ order: SortDescriptor<OddCrate>...) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.rowid)
      }
      let key = "k1"
      #expect(try rowids(#Predicate { $0.`a,b` == key }) == [1])
      #expect(try rowids(#Predicate { $0.`say "hi"` == "hi" }) == [1])
      #expect(try rowids(#Predicate { $0.rowid > 0 && $0.`ünï 😀 --` == 8 }, SortDescriptor(\.oid)) == [2, 1])
      #expect(
        try rowids(#Predicate { $0.select < $0.`group by` }, SortDescriptor(\.`a.b`, order: .reverse)) == [2, 1, 0])
      #expect(
        try context.fetch(FetchDescriptor<Box>(predicate: #Predicate { $0.`crates, all`.contains { $0.`it's` == 3 } }))
          .map { $0.`crates, all`.count } == [2])
      #expect(
        try context.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.table)])).map { $0.`peers, to`.map(\.table) }
          == [["u"], []])
      #expect(
        try context.fetch(FetchDescriptor<OddCrate>(sortBy: [SortDescriptor(\.rowid)])).map(\.`data, big`)
          == (0..<3).map { Data([$0]) })
      #expect(try context.sum(of: \OddCrate.`group by`) == 6)
    }
    for crate in try writer.fetch(FetchDescriptor<OddCrate>()) { crate._rowid_ += 1 }
    try writer.save()
    #expect(try store.value("SELECT sum(\"_rowid_\") FROM OddCrate") == .integer(24))
    #expect(try store.container.integrityCheck() == [])
    if place == .disk {
      let again = try TestStore.open(.disk, store.url, [OddCrate.self, Box.self])
      #expect(try ModelContext(again).fetchCount(FetchDescriptor<OddCrate>()) == 3)
    }
  }
}
