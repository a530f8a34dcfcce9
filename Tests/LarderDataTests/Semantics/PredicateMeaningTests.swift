import Foundation
import LarderData
import SwiftData
import Testing

/// What a predicate means, asked of the store and of what is pending: one meaning in both halves.
@Suite struct PredicateMeaningTests {
  /// Asks before the save, of pending models, and after it, of rows.
  private func inBothHalves<Model: PersistentModel>(
    _ place: StoreLocation, _ models: [Model], _ body: (ModelContext, _ half: Comment) throws -> Void
  ) throws {
    let store = try TestStore(place, Model.self)
    let context = store.context()
    for model in models { context.insert(model) }
    try body(context, "pending")
    try context.save()
    try body(context, "stored")
  }

  @Test(arguments: StoreLocation.allCases)
  func stringsCompareByTheirBytes(_ place: StoreLocation) throws {
    let composed = "caf\u{E9}"
    let decomposed = "cafe\u{301}"
    try inBothHalves(
      place,
      [composed, decomposed, "a\r\nb", "a\u{0}b", "z"].enumerated().map {
        Crate(number: $0, text: $1)
      }
    ) { (context: ModelContext, half: Comment) throws in
      func numbers(_ predicate: Predicate<Crate>) throws -> [Int] {
        try context.fetch(FetchDescriptor<Crate>(predicate: predicate)).map(\.number)
      }
      #expect(try numbers(#Predicate { $0.text == composed }) == [0], half)
      #expect(try numbers(#Predicate { $0.text != composed }) == [1, 2, 3, 4], half)
      // Swift's own contains goes by grapheme clusters, and would not find the line feed.
      #expect(try numbers(#Predicate { $0.text.contains("\n") }) == [2], half)
      #expect(try numbers(#Predicate { $0.text.contains("\u{0}b") }) == [3], half)
      #expect(try numbers(#Predicate { $0.text.starts(with: "cafe") }) == [1], half)
      #expect(try numbers(#Predicate { $0.text.starts(with: "") }) == [0, 1, 2, 3, 4], half)
      let sorted = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.text, comparator: .lexical)])
      #expect(try context.fetch(sorted).map(\.number) == [3, 2, 1, 0, 4], half)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func arithmeticWithoutAResultIsATypedError(_ place: StoreLocation) throws {
    let models = [Crate(number: .max), Crate(number: 0)]
    try inBothHalves(place, models) { (context: ModelContext, half: Comment) throws in
      let sum = FetchDescriptor<Crate>(predicate: #Predicate { $0.number + 1 > 0 })
      #expect(try #require(throws: FetchError.self, half) { try context.fetch(sum) }.code == .arithmetic, half)
      let quotient = FetchDescriptor<Crate>(predicate: #Predicate { 10 / $0.number > 0 })
      #expect(try #require(throws: FetchError.self, half) { try context.fetch(quotient) }.code == .arithmetic, half)
      // Guarded by a condition it has one.
      let guarded = FetchDescriptor<Crate>(predicate: #Predicate { $0.number != 0 && 10 / $0.number == 0 })
      #expect(try context.fetchCount(guarded) == 1, half)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func nilIsAValueToCompareWith(_ place: StoreLocation) throws {
    let models = [Crate(number: 0), Crate(number: 1, note: "a"), Crate(number: 2, note: "b")]
    try inBothHalves(place, models) { (context: ModelContext, half: Comment) throws in
      func numbers(_ predicate: Predicate<Crate>) throws -> [Int] {
        try context.fetch(FetchDescriptor<Crate>(predicate: predicate)).map(\.number)
      }
      let none: String? = nil
      #expect(try numbers(#Predicate { $0.note == nil }) == [0], half)
      #expect(try numbers(#Predicate { $0.note == none }) == [0], half)
      #expect(try numbers(#Predicate { $0.note != nil }) == [1, 2], half)
      #expect(try numbers(#Predicate { $0.note != "a" }) == [0, 2], half)
      #expect(try numbers(#Predicate { !($0.note == "a") }) == [0, 2], half)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func decimalsCompareByValue(_ place: StoreLocation) throws {
    let texts = ["2", "10", "-3", "1.10", "-0.5"]
    let models = try texts.enumerated().map { number, text in
      let model = EveryValue()
      model.int = number
      model.decimal = try #require(Decimal(string: text))
      return model
    }
    try inBothHalves(place, models) { (context: ModelContext, half: Comment) throws in
      let one = try #require(Decimal(string: "1.1"))
      let above = FetchDescriptor<EveryValue>(
        predicate: #Predicate { $0.decimal > one }, sortBy: [SortDescriptor(\.decimal)])
      #expect(try context.fetch(above).map(\.int) == [0, 1], half)
      let equal = FetchDescriptor<EveryValue>(predicate: #Predicate { $0.decimal == one })
      #expect(try context.fetch(equal).map(\.int) == [3], half)
      let all = FetchDescriptor<EveryValue>(sortBy: [SortDescriptor(\.decimal, order: .reverse)])
      #expect(try context.fetch(all).map(\.int) == [1, 0, 3, 4, 2], half)
    }
  }
}
