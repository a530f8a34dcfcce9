import Foundation
import SwiftData
import Testing

@testable import LarderData

@Model
class Hound {
  var name: String
  var keptBy: Breeder?

  init(name: String) { self.name = name }
}

@Model
class Whelp: Hound {
  var weeks: Int

  init(name: String, weeks: Int) {
    self.weeks = weeks
    super.init(name: name)
  }
}

@Model
final class Runt: Whelp {
  var isSmall = true

  override init(name: String, weeks: Int) { super.init(name: name, weeks: weeks) }
}

@Model
final class Breeder {
  var number: Int
  @Relationship(inverse: \Hound.keptBy) var favourite: Hound?
  var partner: Breeder?

  init(number: Int, favourite: Hound?) {
    self.number = number
    self.favourite = favourite
  }
}

/// Casts of what a to-one leads to, which may be nothing.
@Suite struct OptionalCastTests {
  private static var predicates: [(String, Predicate<Breeder>, Set<Int>)] { predicates(own: Hound.self) }

  /// Generic, since the compiler warns of a cast whose outcome it knows.
  private static func predicates<Own: Hound>(own: Own.Type) -> [(String, Predicate<Breeder>, Set<Int>)] {
    [
      ("is", #Predicate { $0.favourite is Whelp }, [2, 3]),
      ("is not", #Predicate { !($0.favourite is Whelp) }, [0, 1]),
      ("is a lower one", #Predicate { $0.favourite is Runt }, [3]),
      ("as?", #Predicate { ($0.favourite as? Whelp)?.weeks == 6 }, [2]),
      ("as? of its own class", #Predicate { ($0.favourite as? Own)?.name == "old" }, [1]),
      ("is of its own class", #Predicate { $0.favourite is Own }, [1, 2, 3]),
      ("as? nil", #Predicate { ($0.favourite as? Whelp) == nil }, [0, 1]),
      ("as? and ??", #Predicate { (($0.favourite as? Whelp)?.weeks ?? 0) < 7 }, [0, 1, 2]),
      ("as? of as?", #Predicate { (($0.favourite as? Whelp) as? Runt)?.isSmall == true }, [3]),
      ("by way of another", #Predicate { ($0.partner?.favourite as? Whelp)?.weeks == 6 }, [3]),
      ("is by way of another", #Predicate { $0.partner?.favourite is Whelp }, [3]),
      ("unwrapped before", #Predicate { if let dog = $0.favourite { dog is Whelp } else { false } }, [2, 3]),
    ]
  }

  @Test(arguments: StoreLocation.allCases)
  func aToOneIsCast(_ place: StoreLocation) throws {
    let store = try TestStore(place, Hound.self, Whelp.self, Runt.self, Breeder.self)
    let context = store.context()
    let favourites = [nil, Hound(name: "old"), Whelp(name: "young", weeks: 6), Runt(name: "small", weeks: 7)]
    let breeders = favourites.enumerated().map { Breeder(number: $0, favourite: $1) }
    for breeder in breeders { context.insert(breeder) }
    breeders[3].partner = breeders[2]
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      for (name, predicate, numbers) in Self.predicates {
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
        #expect(Set(found) == numbers && found.count == numbers.count, "\(name), saved: \(isSaved)")
      }
    }
  }
}
