import CLimits
import Foundation

@main
struct Main {
  static func main() async {
    do {
      try await measure()
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func measure() async throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    limit_watch_connections()
    if let way = options.memory { return try await way.run(options.feed, options.stores) }

    let stores = try Stores(folder: options.stores)
    defer { try? stores.remove() }
    let dtos = try Records.read(feed: options.feed, count: options.records)
    let suite = Suite(stores: stores, dtos: dtos, sizes: options.sizes, most: options.most, feed: options.feed)

    try printSettings(stores)
    print("\n\(options.records) records, \(options.rounds) rounds")
    for round in 1...options.rounds {
      try await suite.round(options.sections)
      try stores.clear()
      print("round \(round)", terminator: round == options.rounds ? "\n\n" : ", ")
      // Progress is to be seen also where the output is a pipe.
      fflush(nil)
    }

    let memory = options.sections.contains(.ingest) ? try PeakMemory.measure(suite, options, stores) : []
    let report = Report(
      measurements: suite.measurements, growths: suite.growths() + suite.linearGrowths(), memory: memory)
    report.printTable()
    report.printReference()
    if let results = options.results {
      try report.write(to: results)
    } else {
      print("\nNot written, as it is not all: --results says where to.")
    }
  }

  /// Both sides' settings, as SQLite reports them for each side's own connections, and plain C's statements.
  private static func printSettings(_ stores: Stores) throws {
    let limit = try stores.limit(.flat)
    print("Settings (writing/reading connection)     ours                plain C")
    for (ours, c) in zip(stores.settings.rows, limit.settings.rows) {
      let values = ["\(ours.writer)/\(ours.reader)", "\(c.writer)/\(c.reader)"]
      print(
        "  "
          + ([ours.name] + values).map { $0.padding(toLength: 20, withPad: " ", startingAt: 0) }.joined(separator: " ")
          + (values[0] == values[1] ? "" : "  differs"))
    }
    print("  (wal_autocheckpoint: 0 is the library's own hook, which does what SQLite's does at 1000 pages)")
    print("Plain C's statements")
    for statement in try limit.statements + stores.relationLimit().statements { print("  " + statement) }
  }
}

/// What the command line says.
struct Options {
  var quick = false
  /// Where the results go; those of a part go nowhere of themselves.
  var results: URL?
  var feed = URL(filePath: "Benchmarks/Data/usgs-all-week-2018-02-07.geojson")
  /// On a disk of the machine, where a save that syncs takes the time that it takes.
  var stores = URL(filePath: "Benchmarks/.build/stores-\(ProcessInfo.processInfo.processIdentifier)")
  var rounds = 11
  var records = 100_000
  /// What is measured: all, unless one is asked for by itself, to be profiled.
  var sections = Suite.Section.allCases

  /// How much memory one way from a feed to rows takes: what the program is asked for by itself.
  var memory: PeakMemory.Way?

  private static let sections = Suite.Section.allCases.map(\.rawValue).joined(separator: "|")
  static let usage =
    "LarderBenchmarks [--quick] [--rounds N] [--records N] [--results FOLDER] [--stores FOLDER] [--only \(sections)]"

  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func next<Value>(_ convert: (String) -> Value?) throws -> Value {
      guard let value = arguments.popFirst().flatMap(convert) else { throw LimitError(description: Self.usage) }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick":
        quick = true
        rounds = 2
      case "--rounds": rounds = try next { Int($0) }
      case "--records": records = try next { Int($0) }
      case "--results": results = try next { URL(filePath: $0) }
      case "--stores": stores = try next { URL(filePath: $0) }
      case "--feed": feed = try next { URL(filePath: $0) }
      case "--memory": memory = try next { PeakMemory.Way(rawValue: $0) }
      case "--only": sections = [try next { Suite.Section(rawValue: $0) }]
      default: throw LimitError(description: Self.usage)
      }
    }
    guard rounds > 0, records > 0 else { throw LimitError(description: Self.usage) }
    if sections == Suite.Section.allCases, records == Budget.records {
      results = results ?? URL(filePath: "Benchmarks/results")
    }
  }

  /// Ten times as many; nil where it is to be quick.
  var most: Int? { quick ? nil : records * 10 }

  /// A hundredth, a tenth and all.
  var sizes: [Int] { [records / 100, records / 10, records].filter { $0 > 0 } }
}
