import Foundation

/// What is printed, and what is written for other programs to read.
struct Report {
  let measurements: Measurements
  let sizes: [Int]

  // MARK: - The table

  func printTable() {
    print(line("", "ours", "plain C", "ratio", "budget", "spread"))
    for row in measurements.all { print(line(row)) }
    for growth in growths { print(line(growth)) }
  }

  private func line(_ row: Measurement) -> String {
    line(
      row.name, "\(Int(row.oursMedian)) ns", "\(Int(row.limitMedian)) ns", format(row.ratio), format(row.budget),
      "\(Int(row.spread * 100)) %", row.isWithinBudget ? "" : "over budget")
  }

  private func line(_ name: String, _ cells: String...) -> String {
    let padded = cells.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }
    return name.padding(toLength: 48, withPad: " ", startingAt: 0) + padded.joined()
  }

  private func format(_ value: Double) -> String { String(format: "%.2f", value) }

  // MARK: - Growth

  /// The loop's cost per record with the most records beside that with the fewest. Plain C's grows too, with the depth
  /// of the trees and the misses of the caches, so its own is the limit.
  var growths: [Measurement] {
    guard let least = sizes.min(), let most = sizes.max(), least < most else { return [] }
    return Suite.loopCases.compactMap { what in
      guard let few = measurements[Suite.loopName(what, least)], let many = measurements[Suite.loopName(what, most)]
      else { return nil }
      return Measurement(
        name: "growth of the loop, \(what), \(least) to \(most)", budget: Budget.growth, rows: most,
        ours: [many.oursMedian / few.oursMedian], limit: [many.limitMedian / few.limitMedian])
    }
  }

  // MARK: - Beside the reference

  /// Sets plain C's times beside those of the machine on which the budgets were drawn up. Machines differ; where the
  /// relation of one row to the others differs too, that row measures something else, and the reason is to be found.
  func printReference() {
    let known = Reference.nanoseconds.compactMap { name, reference in
      measurements[name].map { (name: name, measured: $0.limitMedian, reference: reference) }
    }
    let machine = known.map { $0.measured / $0.reference }.median
    print("Plain C beside the reference; this machine takes \(format(machine)) of its time")
    for row in known {
      let relation = row.measured / row.reference / machine
      print(
        line(
          row.name, "\(Int(row.measured)) ns", "\(Int(row.reference)) ns", format(relation),
          abs(relation - 1) > Reference.tolerance ? "differs: to be explained" : ""))
    }
  }

  // MARK: - The file

  private struct Entry: Encodable {
    let name: String
    let ratio, budget, ours_ns, limit_ns, spread: Double
    let rows: Int
  }

  func write(to folder: URL) throws {
    func round(_ value: Double, _ digits: Double) -> Double { (value * digits).rounded() / digits }
    let entries = measurements.all.map { row in
      Entry(
        name: row.name, ratio: round(row.ratio, 1_000), budget: row.budget, ours_ns: round(row.oursMedian, 10),
        limit_ns: round(row.limitMedian, 10), spread: round(row.spread, 1_000), rows: row.rows)
    }
    // A growth is a relation of relations: it has no nanoseconds of its own but those of the largest size.
    let growths = growths.compactMap { growth -> Entry? in
      Entry(
        name: growth.name, ratio: round(growth.ratio, 1_000), budget: growth.budget,
        ours_ns: round(growth.oursMedian, 1_000), limit_ns: round(growth.limitMedian, 1_000), spread: 0,
        rows: growth.rows)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "latest.json")
    try (encoder.encode(entries + growths) + Data("\n".utf8)).write(to: file)
    print("Written to \(file.path)")
  }
}
