import SwiftData
import Testing

/// The code of FiguresAndBulk.md.
@Suite struct FiguresArticleTests {
  let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for (code, magnitude, name, reports) in [
      ("a", 5.5, "Alaska", nil), ("b", 2.5, "Alaska", 3), ("c", -1, "Japan", 4),
    ] as [(String, Double, String, Int?)] {
      context.insert(
        Quake(
          code: code, magnitude: magnitude, time: Date(timeIntervalSinceReferenceDate: magnitude),
          location: Location(name: name, longitude: 0, latitude: 0), reports: reports))
    }
    try context.save()
  }

  @Test func figures() throws {
    // snippet: figures
    let strong = try context.count(Quake.self, where: #Predicate { $0.magnitude >= 5 })
    let felt = try context.sum(of: \Quake.reports)
    let mean = try context.average(of: \Quake.magnitude) ?? 0
    let last = try context.maximum(of: \Quake.time)
    let names = try context.distinct(\Quake.location.name)
    let (count, strongest) = try context.aggregate(Quake.self, .count, .maximum(\.magnitude))
    // snippet end
    #expect(strong == 1)
    #expect(felt == 7)
    #expect(mean == 7.0 / 3)
    #expect(last == Date(timeIntervalSinceReferenceDate: 5.5))
    #expect(names == ["Alaska", "Japan"])
    #expect(count == 3)
    #expect(strongest == 5.5)
  }

  @Test func groups() throws {
    var lines: [String] = []
    func print(_ parts: Any...) { lines.append(parts.map { "\($0)" }.joined(separator: " ")) }
    // snippet: groups
    for (name, (count, mean)) in try context.groups(
      by: \Quake.location.name, aggregating: .count, .average(\.magnitude))
    {
      print(name, count, mean ?? 0)
    }
    for (reports, count) in try context.counts(by: \Quake.reports) { print(reports ?? 0, count) }
    // snippet end
    #expect(lines == ["Alaska 2 4.0", "Japan 1 -1.0", "0 1", "3 1", "4 1"])
  }

  @Test func updates() throws {
    // snippet: updates
    let corrected = try context.updateAndSave(Quake.self, where: #Predicate { $0.magnitude < 0 }) {
      $0.set(\.magnitude, to: 0)
      $0.add(1, to: \.reports)
    }
    // snippet end
    #expect(corrected == 1)
    #expect(try context.sum(of: \Quake.reports) == 8)
    #expect(try context.minimum(of: \Quake.magnitude) == 0)
  }

  @Test func largeResults() throws {
    var codes: [String] = []
    func print(_ code: String) { codes.append(code) }
    // snippet: large results
    let all = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.time, order: .reverse)])
    let quakes = try context.fetch(all, batchSize: 100)
    try context.enumerate(all, batchSize: 100) { print($0.code) }
    // snippet end
    #expect(codes == ["a", "b", "c"])
    #expect(quakes.map(\.code) == codes)
  }

  @Test func explanations() throws {
    var line = ""
    func print(_ isScan: Bool, _ suggestion: String) { line = "\(isScan) \(suggestion)" }
    // snippet: explanations
    let explanation = try context.explain(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude >= 5 }))
    print(explanation.isScan, explanation.suggestion ?? "")
    // snippet end
    #expect(line == "true #Index<Quake>([\\.magnitude])")
  }
}
