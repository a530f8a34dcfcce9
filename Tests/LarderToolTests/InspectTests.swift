import DurabilityWork
import Foundation
import SwiftData
import Testing

enum Kiosk {
  @Model class Issue {
    var title: String
    var receipt: Receipt?
    init(title: String) { self.title = title }
  }

  @Model final class Magazine: Issue {
    @Attribute(.externalStorage) var cover: Data?
    override init(title: String) { super.init(title: title) }
  }

  @Model final class Receipt {
    var number: Int
    @Relationship(inverse: \Issue.receipt) var issue: Issue?
    init(number: Int) { self.number = number }
  }
}

/// What `larder inspect` tells of models, by where each thing is declared.
@Suite struct InspectTests {
  @Test func eachModelHasWhatItDeclares() throws {
    let folder = try WorkFolder()
    let container = try ModelContainer(
      for: Kiosk.Issue.self, Kiosk.Magazine.self, Kiosk.Receipt.self,
      configurations: ModelConfiguration(url: folder.file("kiosk.store")))
    let context = ModelContext(container)
    context.insert(Kiosk.Magazine(title: "Tides"))
    try context.save()

    let process = try ChildProcess("larder", ["inspect", folder.path("kiosk.store")], output: folder.file("said"))
    #expect(process.wait() == .exit(0))
    let parts = process.printed.components(separatedBy: "\n\n")
    func part(_ name: String) throws -> String { try #require(parts.first { $0.hasPrefix(name) }) }
    #expect(try part("Magazine: Issue").contains("  cover: "))
    #expect(!(try part("Issue").contains("  cover: ")))
    // One of the two has a column, the other lies in no row.
    #expect(try part("Issue").contains("  receipt: → Receipt"))
    #expect(try part("Receipt").contains("  issue: → Issue"))
  }
}
