import Foundation
import LarderData
import SwiftData
import Testing

@Model
private final class Gauge {
  #Index<Gauge>([\.level])
  var level = 0
  @Transient var isShown = false
  init() {}
}

extension Gauge {
  fileprivate var isHigh: Bool { level > 10 }
  fileprivate var half: Int { level / 2 }
}

/// What an error says of a property that is not stored: its name, and no address.
@Suite struct ComputedNameTests {
  private func explanation(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func errorsNameThePropertyThatIsNotStored() throws {
    let context = ModelContext(
      try ModelContainer(for: Gauge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let told = [
      explanation { _ = try context.fetch(FetchDescriptor<Gauge>(predicate: #Predicate { $0.isHigh })) },
      explanation { _ = try context.fetch(FetchDescriptor<Gauge>(predicate: #Predicate { $0.isShown })) },
      explanation { _ = try context.fetch(FetchDescriptor<Gauge>(sortBy: [SortDescriptor(\.half)])) },
    ]
    for (text, name) in zip(told, ["isHigh", "isShown", "half"]) {
      #expect(text.contains(name), "\(text)")
      #expect(!text.contains("0x"), "\(text)")
    }
  }
}
