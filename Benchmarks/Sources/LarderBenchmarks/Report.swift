import Foundation

/// What is printed, and what is written for other programs to read.
struct Report {
  let measurements: Measurements
  let growths: [Growth]
  let memory: [PeakMemory]

  // MARK: - The table

  func printTable() {
    printLine("nanoseconds for a record, medians", "ours", "plain C", "ratio", "budget", "spread")
    for row in measurements.all {
      printLine(
        row.name, "\(Int(row.oursMedian))", "\(Int(row.limitMedian))", format(row.ratio), row.budget.map(format) ?? "–",
        "\(Int(row.spread * 100)) %", remark: row.isWithinBudget ? "" : "over budget")
    }
    for name in measurements.missing { printLine(name, remark: "not yet") }
    if !growths.isEmpty { print("\nFrom the fewest records to the most") }
    for growth in growths {
      printLine(
        growth.name, "× " + format(growth.oursFactor), "× " + format(growth.limitFactor), format(growth.ratio),
        format(growth.budget), remark: growth.ratio <= growth.budget ? "" : "over budget")
    }
    if !memory.isEmpty { print("\nMemory at its most, above what the program has before, in MiB") }
    for row in memory {
      printLine(
        row.name, mebibytes(row.bytes), row.budget.map(mebibytes) ?? "–",
        remark: row.isWithinBudget ? "" : "over budget")
    }
  }

  private func printLine(_ name: String, _ cells: String..., remark: String = "") {
    let padded = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
    let line = name.padding(toLength: 64, withPad: " ", startingAt: 0) + padded.joined()
    print(remark.isEmpty ? line : line + "  " + remark)
  }

  private func mebibytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1_048_576) }
  private func format(_ value: Double) -> String { String(format: "%.2f", value) }

  // MARK: - Beside the reference

  /// Sets plain C's times beside those of the machine on which the budgets were drawn up. Machines differ; where the
  /// relationship of one row to the others differs too, that row measures something else, and the reason is to be found.
  func printReference() {
    let known = Reference.nanoseconds.compactMap { name, reference in
      measurements[name].map { (name: name, measured: $0.limitMedian, reference: reference) }
    }
    guard !known.isEmpty else { return }
    let machine = known.map { $0.measured / $0.reference }.median
    print("\nPlain C here and where the budgets were drawn up; this machine takes \(format(machine)) of the time")
    printLine("", "here", "there", "relation")
    for row in known {
      let relationship = row.measured / row.reference / machine
      printLine(
        row.name, "\(Int(row.measured))", "\(Int(row.reference))", format(relationship),
        remark: abs(relationship - 1) > Reference.tolerance ? "differs: to be explained" : "")
    }
  }

  // MARK: - The file

  private struct Entry: Encodable {
    let name: String
    let ratio: Double
    let budget: Double?
    let ours, limit, spread: Double
    let rows: Int

    private enum CodingKeys: String, CodingKey {
      case name, ratio, budget, spread, rows
      case ours = "ours_ns"
      case limit = "limit_ns"
    }
  }

  private struct MemoryEntry: Encodable {
    let name: String
    let bytes: Int
    let budget: Int?
    let rows: Int
  }

  func write(to folder: URL) throws {
    func round(_ value: Double, _ digits: Double) -> Double { (value * digits).rounded() / digits }
    func entry(_ name: String, _ ratio: Double, _ budget: Double?, _ row: Measurement, spread: Double) -> Entry {
      Entry(
        name: name, ratio: round(ratio, 1_000), budget: budget, ours: round(row.oursMedian, 10),
        limit: round(row.limitMedian, 10), spread: round(spread, 1_000), rows: row.rows)
    }
    let entries =
      measurements.all.map { entry($0.name, $0.ratio, $0.budget, $0, spread: $0.spread) }
      // The nanoseconds are those of the most records; the ratio is that of the two sides' growths.
      + growths.map { entry($0.name, $0.ratio, $0.budget, $0.most, spread: 0) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ data: Data) throws {
      let file = folder.appending(path: name)
      try data.write(to: file)
      print("Written to \(file.path)")
    }
    print()
    try write("latest.json", encoder.encode(entries) + Data("\n".utf8))
    let memory = memory.map { MemoryEntry(name: $0.name, bytes: $0.bytes, budget: $0.budget, rows: $0.records) }
    if !memory.isEmpty { try write("memory.json", encoder.encode(memory) + Data("\n".utf8)) }
    try write("latest.svg", Data(Chart(measurements.all).svg.utf8))
  }
}
