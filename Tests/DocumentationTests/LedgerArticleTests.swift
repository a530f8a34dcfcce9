import Foundation
import Larder
import LarderTesting
import Testing

/// The steps of ComingFromCoreData.md, each run.
@Suite struct LedgerArticleTests {
  @Test func fromAResponseToRowsAndBack() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "ledger.store")
    // snippet: ledger container
    let container = try ModelContainer(for: LedgerEntry.self, configurations: ModelConfiguration(url: file))
    let dao = LedgerDAO(modelContainer: container)
    // snippet end
    // snippet: ledger client
    var configuration = HTTPClient.Configuration()
    configuration.deadlines.total = .seconds(30)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    configuration.decoder = decoder
    // snippet end
    let stub = TransportStub { _ in
      .json(
        """
        [{"id": "a", "amount": "0.30", "created_at": "2026-11-25T10:00:00Z"},
         {"id": "b", "amount": "12.00", "created_at": "2026-11-25T11:00:00Z"}]
        """)
    }
    let client = HTTPClient(
      baseURL: URL(string: "https://api.example")!, configuration: configuration, transport: stub)
    #expect(try await dao.sync(by: client) == 2)
    #expect(try await dao.unsynced() == 0)
    let newest = try #require(try await dao.newest(1).first)
    let context = ModelContext(container)
    #expect(try context.existingModel(for: newest, as: LedgerEntry.self).id == "b")
    let amounts = try context.fetch(FetchDescriptor<LedgerEntry>(sortBy: [SortDescriptor(\.id)])).map(\.amount)
    #expect(amounts == [Decimal(string: "0.3"), 12])
    try await dao.deleteAll()
    #expect(try await dao.newest(9).isEmpty)
  }
}
