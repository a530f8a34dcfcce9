import Foundation
import LarderData
import SwiftData
import Testing

@Model
final class Manometer {
  #Index<Manometer>([\.level])
  var level = 0
  init() {}
}

extension Manometer {
  var isHigh: Bool { level > 10 }
  var half: Int { level / 2 }
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
      try ModelContainer(for: Manometer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let told = [
      explanation { _ = try context.fetch(FetchDescriptor<Manometer>(predicate: #Predicate { $0.isHigh })) },
      explanation { _ = try context.fetch(FetchDescriptor<Manometer>(sortBy: [SortDescriptor(\.half)])) },
    ]
    for (text, name) in zip(told, ["isHigh", "half"]) {
      #expect(text.contains(name), "\(text)")
      #expect(!text.contains("0x"), "\(text)")
    }
  }
}
