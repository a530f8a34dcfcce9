import SwiftData
import Testing

/// The predicates of Predicates.md, each run.
@Suite struct PredicateArticleTests {
  let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for (code, magnitude, name, reports) in [
      ("ak1", 5.5, "Central Alaska", nil), ("ak2", 2.5, "Alaska Peninsula", 3), ("jp1", 7.1, "Honshū, Japan", 0),
      ("ci1", 4.4, "Southern California", 1_200),
    ] as [(String, Double, String, Int?)] {
      let place = Location(name: name, longitude: 0, latitude: 0)
      context.insert(
        Quake(
          code: code, magnitude: magnitude, time: Date(timeIntervalSinceReferenceDate: magnitude), location: place,
          reports: reports))
    }
    try context.save()
  }

  private func codes(_ predicate: Predicate<Quake>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.code)])).map(\.code)
  }

  @Test func predicatesAreUsed() throws {
    // snippet: first
    let strong = #Predicate<Quake> { $0.magnitude >= 5 }
    let quakes = try context.fetch(FetchDescriptor(predicate: strong))
    try context.delete(model: Quake.self, where: strong)
    // snippet end
    #expect(quakes.map(\.code) == ["ak1", "jp1"])
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 2)
  }

  @Test func comparisons() throws {
    // snippet: comparisons
    let least = 4.0
    let since = Date(timeIntervalSinceReferenceDate: 0)
    let recent = #Predicate<Quake> { $0.magnitude >= least && $0.time > since }
    let range = #Predicate<Quake> { (4.0...6.0).contains($0.magnitude) }
    let energy = #Predicate<Quake> { 1.5 * $0.magnitude + 4.8 > 14 }
    // snippet end
    #expect(try codes(recent) == ["ak1", "ci1", "jp1"])
    #expect(try codes(range) == ["ak1", "ci1"])
    #expect(try codes(energy) == ["jp1"])
  }

  @Test func optionals() throws {
    // snippet: optionals
    let unreported = #Predicate<Quake> { $0.reports == nil }
    let felt = #Predicate<Quake> { ($0.reports ?? 0) > 100 }
    let reported = #Predicate<Quake> { quake in
      if let reports = quake.reports { reports > 0 } else { false }
    }
    // snippet end
    #expect(try codes(unreported) == ["ak1"])
    #expect(try codes(felt) == ["ci1"])
    #expect(try codes(reported) == ["ak2", "ci1"])
  }

  @Test func texts() throws {
    // snippet: texts
    let word = "alaska"
    let found = #Predicate<Quake> { $0.location.name.localizedStandardContains(word) }
    let exact = #Predicate<Quake> { $0.location.name.contains("Alaska") }
    let network = #Predicate<Quake> { $0.code.starts(with: "ak") }
    // snippet end
    for predicate in [found, exact, network] { #expect(try codes(predicate) == ["ak1", "ak2"]) }
    // snippet: patterns
    let pattern = /[a-z]{2}[0-9]+/
    let numbered = #Predicate<Quake> { $0.code.contains(pattern) }
    // snippet end
    #expect(try codes(numbered).count == 4)
  }

  @Test func collections() throws {
    let quakes = try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude < 5 }))
    // snippet: collections
    let wanted: Set = ["ak1", "jp1", "xx9"]
    let some = #Predicate<Quake> { wanted.contains($0.code) }
    let selection = quakes.map(\.persistentModelID)
    let selected = #Predicate<Quake> { selection.contains($0.persistentModelID) }
    // snippet end
    #expect(try codes(some) == ["ak1", "jp1"])
    #expect(try codes(selected) == ["ak2", "ci1"])
  }

  @Test func predicatesArePutTogether() throws {
    let search: String? = "Alaska"
    // snippet: combining
    var wanted = #Predicate<Quake> { $0.magnitude >= 4 }
    if let search { wanted = wanted.and(#Predicate { $0.location.name.contains(search) }) }
    let networks = ["jp", "ci"]
    let theirs = Predicate<Quake>.any(networks.map { network in #Predicate { $0.code.starts(with: network) } })
    let either = wanted.or(theirs)
    let others = either.negated
    // snippet end
    #expect(try codes(wanted) == ["ak1"])
    #expect(try codes(either) == ["ak1", "ci1", "jp1"])
    #expect(try codes(others) == ["ak2"])
    #expect(try codes(.all([wanted, theirs])) == [])
    #expect(try codes(.all([])).count == 4)
    #expect(try codes(.any([])) == [])
  }

  @Test func expressionsAreAsked() throws {
    // snippet: expressions
    let moment = #Expression<Quake, Double> { 1.5 * $0.magnitude + 9.1 }
    let large = moment.matches(#Predicate { $0 > 17 })
    // snippet end
    #expect(try codes(large) == ["ak1", "jp1"])
  }

  /// Foundation prints no predicate with a function of this package in it; a descriptor prints without its own.
  @Test func descriptorsCanBePrinted() {
    let found = FetchDescriptor(predicate: #Predicate<Quake> { $0.code.localizedStandardContains("a") })
    #expect("\(found)".contains("FetchDescriptor"))
  }

  @Test func enumerationsAndCollections() throws {
    typealias Survey = SurveyCode.Survey
    typealias Status = SurveyCode.Status
    let container = try ModelContainer(
      for: Survey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let tides = Survey(title: "Tides", site: SurveyCode.Site(country: "France"))
    tides.tags = ["sea"]
    tides.titles = ["fr": "Marées"]
    let ice = Survey(title: "Ice", site: SurveyCode.Site(country: "Norway", depths: [120]))
    ice.status = .done
    for survey in [tides, ice] { context.insert(survey) }
    try context.save()
    func titles(_ predicate: Predicate<Survey>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    // snippet: enumerations
    let planned = Status.planned
    let open = [Status.planned, .running]
    let next = #Predicate<Survey> { $0.status == planned }
    let unfinished = #Predicate<Survey> { open.contains($0.status) }
    let done = #Predicate<Survey> { $0.status.rawValue == "done" }
    // snippet end
    #expect(try titles(next) == ["Tides"])
    #expect(try titles(unfinished) == ["Tides"])
    #expect(try titles(done) == ["Ice"])

    // snippet: stored collections
    let tagged = #Predicate<Survey> { $0.tags.contains("sea") }
    let french = #Predicate<Survey> { $0.titles["fr"] == "Marées" }
    let abroad = #Predicate<Survey> { $0.site.country != "France" }
    let deep = #Predicate<Survey> { $0.site.depths.contains { $0 > 100 } }
    // snippet end
    #expect(try titles(tagged) == ["Tides"])
    #expect(try titles(french) == ["Tides"])
    #expect(try titles(abroad) == ["Ice"])
    #expect(try titles(deep) == ["Ice"])

    // What Predicates.md says cannot be sorted by.
    for order in [SortDescriptor(\Survey.site.country), SortDescriptor(\Survey.status.rawValue)] {
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try context.fetch(FetchDescriptor<Survey>(sortBy: [order]))
      }
    }
  }

  @Test func sorting() throws {
    // snippet: sorting
    var page = FetchDescriptor<Quake>(
      sortBy: [SortDescriptor(\.location.name), SortDescriptor(\.time, order: .reverse)])
    page.fetchOffset = 1
    page.fetchLimit = 2
    let quakes = try context.fetch(page)
    let count = try context.fetchCount(FetchDescriptor<Quake>())
    // snippet end
    #expect(quakes.map(\.code) == ["ak1", "jp1"])
    #expect(count == 4)
  }

  @Test func whatIsLeftOutIsNamed() throws {
    var sentence = ""
    func print(_ text: String) { sentence = text }
    // snippet: unsupported
    let odd = #Predicate<Quake> { $0.isStrong }
    do {
      _ = try context.fetch(FetchDescriptor(predicate: odd))
    } catch SwiftDataError.unsupportedPredicate {
      print("Fetch with the rest of the predicate, and filter what comes back.")
    }
    // snippet end
    #expect(!sentence.isEmpty)
    let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor(predicate: odd)) }
    #expect(error?.explanation?.contains("computed or transient") == true, "\(String(describing: error))")
  }

  @Test func failuresAreErrors() throws {
    var message = ""
    func print(_ text: String) { message = text }
    // snippet: failures
    let each = #Predicate<Quake> { 1_000 / ($0.reports ?? 1) > 100 }
    do {
      _ = try context.fetch(FetchDescriptor(predicate: each))
    } catch let error as FetchError where error.code == .arithmetic {
      print(error.explanation)
    }
    // snippet end
    #expect(message.contains("divides by zero"))
  }
}

extension Quake {
  fileprivate var isStrong: Bool { magnitude >= 6 }
}
