// A program that imports Larder and nothing else: what it uses of Foundation and Observation comes with it, as with SwiftData.
public import Larder

/// A model.
@Model
public final class Parcel {
  @Attribute(.unique) public var code: String
  public var sent: Date
  public var page: URL?

  public init(code: String, sent: Date = .now, page: URL? = URL(string: "https://parcels.example")) {
    self.code = code
    self.sent = sent
    self.page = page
  }
}

/// A view model.
@Observable
public final class ParcelList {
  public private(set) var codes: [String] = []
  private let container: ModelContainer

  public init() throws {
    container = try ModelContainer(
      for: Parcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  public func add(_ json: String) throws {
    let note = try Note(json: Data(json.utf8))
    let context = ModelContext(container)
    context.insert(Parcel(code: note.code, sent: note.sent))
    try context.save()
    let long = FetchDescriptor<Parcel>(predicate: #Predicate { $0.code.count > 1 }, sortBy: [SortDescriptor(\.code)])
    codes = try context.fetch(long).map(\.code)
  }

  /// Where parcels are asked for.
  public var request: URLRequest { URLRequest(url: URL(filePath: "/parcels")) }
}

@JSONReadable
struct Note {
  let code: String
  let sent: Date
}
