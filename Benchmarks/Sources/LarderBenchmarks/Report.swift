import Foundation

/// What is printed, and what is written for other programs to read.
struct Report {
  let measurements: Measurements
  let growths: [Growth]

  init(measurements: Measurements, sizes: [Int]) {
    self.measurements = measurements
    growths = Suite.loopCases.compactMap {
      Growth($0, from: sizes.min() ?? 0, to: sizes.max() ?? 0, in: measurements)
    }
  }

  // MARK: - The table

  func printTable() {
    printLine("nanoseconds for a record, medians", "ours", "plain C", "ratio", "budget", "spread")
    for row in measurements.all {
      printLine(
        row.name, "\(Int(row.oursMedian))", "\(Int(row.limitMedian))", format(row.ratio), format(row.budget),
        "\(Int(row.spread * 100)) %", remark: row.isWithinBudget ? "" : "over budget")
    }
    for name in measurements.missing { printLine(name, remark: "not yet") }
    if growths.isEmpty { return }
    print("\nFrom the fewest records to the most")
    for growth in growths {
      printLine(
        growth.name, "× " + format(growth.oursFactor), "× " + format(growth.limitFactor), format(growth.ratio),
        format(Budget.growth), remark: growth.ratio <= Budget.growth ? "" : "over budget")
    }
  }

  private func printLine(_ name: String, _ cells: String..., remark: String = "") {
    let padded = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
    let line = name.padding(toLength: 48, withPad: " ", startingAt: 0) + padded.joined()
    print(remark.isEmpty ? line : line + "  " + remark)
  }

  private func format(_ value: Double) -> String { String(format: "%.2f", value) }

  // MARK: - Beside the reference

  /// Sets plain C's times beside those of the machine on which the budgets were drawn up. Machines differ; where the
  /// relation of one row to the others differs too, that row measures something else, and the reason is to be found.
  func printReference() {
    let known = Reference.nanoseconds.compactMap { name, reference in
      measurements[name].map { (name: name, measured: $0.limitMedian, reference: reference) }
    }
    guard !known.isEmpty else { return }
    let machine = known.map { $0.measured / $0.reference }.median
    print("\nPlain C here and where the budgets were drawn up; this machine takes \(format(machine)) of the time")
    printLine("", "here", "there", "relation")
    for row in known {
      let relation = row.measured / row.reference / machine
      printLine(
        row.name, "\(Int(row.measured))", "\(Int(row.reference))", format(relation),
        remark: abs(relation - 1) > Reference.tolerance ? "differs: to be explained" : "")
    }
  }

  // MARK: - The file

  private struct Entry: Encodable {
    let name: String
    let ratio, budget, ours, limit, spread: Double
    let rows: Int

    private enum CodingKeys: String, CodingKey {
      case name, ratio, budget, spread, rows
      case ours = "ours_ns"
      case limit = "limit_ns"
    }
  }

  func write(to folder: URL) throws {
    func round(_ value: Double, _ digits: Double) -> Double { (value * digits).rounded() / digits }
    func entry(_ name: String, _ ratio: Double, _ budget: Double, _ row: Measurement, spread: Double) -> Entry {
      Entry(
        name: name, ratio: round(ratio, 1_000), budget: budget, ours: round(row.oursMedian, 10),
        limit: round(row.limitMedian, 10), spread: round(spread, 1_000), rows: row.rows)
    }
    let entries =
      measurements.all.map { entry($0.name, $0.ratio, $0.budget, $0, spread: $0.spread) }
      // The nanoseconds are those of the most records; the ratio is that of the two sides' growths.
      + growths.map { entry($0.name, $0.ratio, Budget.growth, $0.most, spread: 0) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "latest.json")
    try (encoder.encode(entries) + Data("\n".utf8)).write(to: file)
    print("\nWritten to \(file.path)")
  }
}
