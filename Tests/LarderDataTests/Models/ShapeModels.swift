import Foundation
import SwiftData

/// Models of odd shapes: they are to compile, and to come back from the store as they went in.
enum Shapes {
  /// Types of its own with the names of ours, and of the standard ones.
  @Model
  final class OwnTypes {
    struct Schema: Codable, Equatable { var number = 1 }
    struct ModelContext: Codable, Equatable { var number = 2 }
    struct Row: Codable, Equatable { var numbers = [3] }
    enum Date: String, Codable { case today, never }
    struct Data: Codable, Equatable { var bytes: [UInt8] = [4] }
    enum Decimal: Codable, Equatable {
      case half
      case other(Swift.String)
    }

    var schema = Schema()
    var context: ModelContext?
    var row: Row = Row()
    var date: Date = Date.today
    var data: Data?
    var decimal = Decimal.half
    var made: Foundation.Date = Foundation.Date(timeIntervalSinceReferenceDate: 5)

    init() {}
  }

  /// Names of the language's, of what `@Model` generates and of what generated code calls its own values.
  @Model
  final class Words {
    var `default` = 1
    var `class` = "a"
    var `in`: Double?
    var `switch`: [Int] = [1]
    var row = 2
    var rows: [Swift.String] = ["r"]
    var binder: Kind = Kind.one
    var mask = 3
    var state: Kind?
    var models = 4
    var value: [Int] = [5]
    var key = [6]
    var property = 7
    var change: [Int: Int] = [8: 9]
    var keyPath = "k"
    var newValue: Kind = .two
    var initialValue = 10
    var access = 11
    var withMutation: [Int] = [12]
    var header = 13
    var fields: Kind?
    var id = "own"
    var description = "d"
    var hashValue2 = 14
    // swift-format-ignore: IdentifiersMustBeASCII
    var größe = 1.5
    // swift-format-ignore: IdentifiersMustBeASCII
    var 名前 = "n"
    // swift-format-ignore: IdentifiersMustBeASCII
    var 💧 = true
    var `due date`: [Int] = [15]
    var `select` = "s"
    var order: Int = 16
    var group: Kind = Kind.two
    var rowid: Int?

    enum Kind: Int, Codable {
      case one = 1
      case two
    }

    init() {}
  }

  /// Reserved words, odd names and quotes as names of the models themselves.
  @Model final class `Select` {
    var a = 1
    init() {}
  }
  // swift-format-ignore: IdentifiersMustBeASCII
  @Model final class `Größe` {
    var a = 1
    init() {}
  }
  @Model final class `Class` {
    var a = 1
    init() {}
  }

  @Model
  final class Values {
    enum Raw: String, Codable, CaseIterable { case a, b }
    enum Number: Int, Codable {
      case one = 1
      case two
    }
    enum Associated: Codable, Equatable {
      case nothing
      case text(String)
      case pair(Int, label: String?)
    }
    struct Point: Codable, Hashable { var x: Double, y: Double }
    struct Nested: Codable, Equatable {
      var point: Point
      var associated: Associated
      var points: [Point]?
    }

    var raw = Raw.a
    var rawOrNil: Raw?
    var number: Number = .two
    var associated: Associated = Associated.nothing
    var associatedOrNil: Associated?
    var raws: [Raw] = []
    var rawSet: Set<Raw> = []
    var points: [Point] = []
    var pointsOrNil: [Point]?
    var pointSet: Set<Point> = []
    var byName: [String: Point] = [:]
    var byNumber: [Int: [String]] = [:]
    var byRaw: [Raw: Int] = [:]
    var nested: Nested?
    var matrix: [[Double]] = []
    var optionals: [Int?] = []
    var associatedList: [Associated] = []
    var dates: [Date] = []
    var bytes: [Data] = []
    var unwrapped: Point!
    var text: String! = "t"
    var range: ClosedRange<Int> = 1...2

    init() {}
  }

  @Model
  final class Defaults {
    var text = "t"
    var number: Int = -1
    var date = Date.distantPast
    var list: [Int] = [1, 2]
    var kind: Values.Raw = .b
    var optional: Int? = 5
    var made = Values.Point(x: 1, y: 2)
    var url = URL(string: "https://example.org")!
    var decimal: Decimal = 1.5
    var identifier = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

    init() {}
  }

  struct Outer {
    enum Inner {
      @Model final class Deep {
        var name = "deep"
        init() {}
      }
    }
  }

  @Model
  final class Renamed {
    @Attribute(originalName: "title") var name = ""
    @Attribute(.unique, originalName: "number", hashModifier: "v2") var code = 0
    @Attribute(.spotlight, .allowsCloudEncryption, .preserveValueOnDeletion) var text: String?
    @Relationship(deleteRule: .cascade, originalName: "sub") var children: [Renamed] = []
    var parent: Renamed?

    init() {}
  }
}

extension Shapes {
  @Model fileprivate final class FilePrivate {
    var name = "f"
    var tags: [String] = ["x"]
    init() {}
  }

  static var filePrivate: any PersistentModel.Type { FilePrivate.self }
  static func makeFilePrivate() -> any PersistentModel { FilePrivate() }
  static func filePrivateNames(_ context: SwiftData.ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<FilePrivate>()).map { $0.name + $0.tags.joined() }
  }
}

@Model
private final class Hidden {
  var name = "p"
  fileprivate var tags: [String] = ["y"]
  private var secret = 3
  private(set) var kind: Kind = .one
  enum Kind: String, Codable { case one }

  init() {}
  var sum: Int { secret + tags.count }
}

extension Shapes {
  static var hidden: any PersistentModel.Type { Hidden.self }
  static func makeHidden() -> any PersistentModel { Hidden() }
  static func hiddenSums(_ context: SwiftData.ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor<Hidden>()).map(\.sum)
  }
}
