import Foundation
import SwiftData
import Testing

/// A class that leaves the one that it inherited from, with what lies beside its rows.
@Suite struct PartedClassTests {
  enum United {
    @Model class Base {
      var name: String
      @Attribute(.externalStorage) var big: Data?
      var tags: [Tag] = []
      init(name: String) { self.name = name }
    }

    @Model final class Special: Base {
      var extra: Int = 0
      override init(name: String) { super.init(name: name) }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Base.tags) var bases: [Base] = []
      init(_ text: String) { self.text = text }
    }
  }

  enum Parted {
    @Model class Base {
      var name: String
      @Attribute(.externalStorage) var big: Data?
      var tags: [Tag] = []
      init(name: String) { self.name = name }
    }

    @Model final class Special {
      var name: String
      @Attribute(.externalStorage) var big: Data?
      var extra: Int = 0
      init(name: String) { self.name = name }
    }

    @Model final class Tag {
      var text: String
      @Relationship(inverse: \Base.tags) var bases: [Base] = []
      init(_ text: String) { self.text = text }
    }
  }

  @Test func whatIsBesideItsRowsGoesWithThem() throws {
    let store = try TemporaryStore()
    try store.open(United.Base.self, United.Special.self, United.Tag.self) { context in
      let (base, special) = (United.Base(name: "base"), United.Special(name: "special"))
      base.big = Data([1])
      special.big = Data([2, 2])
      base.tags = [United.Tag("a")]
      for model in [base, special] { context.insert(model) }
    }
    try store.open(Parted.Base.self, Parted.Special.self, Parted.Tag.self) { context in
      let bases = try context.all(Parted.Base.self)
      #expect(bases.map(\.name) == ["base"] && bases.map(\.big) == [Data([1])])
      #expect(bases.first?.tags.map(\.text) == ["a"])
      let specials = try context.all(Parted.Special.self)
      #expect(specials.map(\.name) == ["special"] && specials.map(\.big) == [Data([2, 2])])
    }
    let rows = try store.strings(
      "SELECT row FROM larder_external_Base_big UNION ALL SELECT row FROM larder_external_Special_big")
    #expect(rows.count == 2)
  }

  /// The pairs of those that have it no more go; it is said, and refused where values are to stay.
  @Test func pairsOfItsRowsGo() throws {
    let store = try TemporaryStore()
    try store.open(United.Base.self, United.Special.self, United.Tag.self) { context in
      let (base, special) = (United.Base(name: "base"), United.Special(name: "special"))
      let tag = United.Tag("a")
      base.tags = [tag]
      special.tags = [tag]
      for model in [base, special] { context.insert(model) }
    }
    let refusing = MigrationOptions(removedValues: .refuse)
    let error =
      store.failure(Parted.Base.self, Parted.Special.self, Parted.Tag.self, options: refusing) as? StoreError
    #expect(
      error?.code == .valueLoss && error?.explanation.contains("Base.tags (1 row)") == true,
      "\(error?.explanation ?? "")")
    try store.open(Parted.Base.self, Parted.Special.self, Parted.Tag.self) { (context: ModelContext) throws in
      #expect(try context.all(Parted.Tag.self).first?.bases.map(\.name) == ["base"])
      #expect(try context.all(Parted.Special.self).map(\.name) == ["special"])
    }
    #expect(try store.strings("SELECT count(*) FROM larder_Base_tags") == ["1"])
  }

  enum Worded {
    @Model final class Page {
      @Attribute(.externalStorage) var lines: [String]
      init(_ lines: [String]) { self.lines = lines }
    }
  }

  enum Plain {
    @Model final class Page {
      @Attribute(.externalStorage) var lines: String
      init(_ lines: String) { self.lines = lines }
    }
  }

  enum Inside {
    @Model final class Page {
      var lines: String
      init(_ lines: String) { self.lines = lines }
    }
  }

  /// A list beside the rows is no text, wherever it comes to lie, nor the other way round.
  @Test func valuesBesideRowsKeepTheirMeaning() throws {
    let store = try TemporaryStore()
    try store.open(Worded.Page.self) { $0.insert(Worded.Page(["a", "b"])) }
    for error in [store.failure(Plain.Page.self), store.failure(Inside.Page.self)] {
      let said = (error as? StoreError)?.explanation ?? ""
      #expect(
        said.contains("Page.lines was Array<String> (TEXT) and is String (TEXT)") || said.contains("[String]"),
        "\(said)")
    }
    let other = try TemporaryStore()
    try other.open(Inside.Page.self) { $0.insert(Inside.Page("[\"q\"]")) }
    #expect(other.failure(Worded.Page.self) is StoreError)
    let lines = try other.open(Plain.Page.self) { try $0.all(Plain.Page.self).map(\.lines) }
    #expect(lines == ["[\"q\"]"])
  }
}
