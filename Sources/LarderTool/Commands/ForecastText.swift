import LarderData
import LarderMigration
import LarderSupport

/// The text output of `migrate --dry-run`.
struct ForecastText {
  private let forecast: MigrationForecast
  private let path: String

  init(_ forecast: MigrationForecast, path: String) {
    self.forecast = forecast
    self.path = path
  }

  var lines: [String] {
    var lines = ["\(path): \(verdict)"]
    for table in forecast.tables {
      lines += ["", "\(table.name): \(work(of: table))"]
      for change in table.changes { lines.append("  \(change.name): \(change.explanation)") }
      for collision in table.collisions { lines += self.lines(of: collision) }
    }
    if !forecast.problems.isEmpty {
      lines += ["", "Not without a custom stage of a plan:"] + forecast.problems.map { "  \($0)." }
    }
    if !forecast.conditions.isEmpty {
      lines += ["", "Only if the program's declarations allow for it:"] + forecast.conditions.map { "  \($0)." }
    }
    if let failure = forecast.failure { lines += ["", "\(failure.code): \(failure.explanation)"] }
    return lines
  }

  private var verdict: String {
    switch forecast.verdict {
    case .nothing: "it has the shape of these models already"
    case .possible:
      "a program with these models brings it to them as it opens it; \(rewriteSummary)"
    case .depends:
      "a program with these models brings it to them as it opens it, if its declarations say what is told below; "
        + rewriteSummary
    case .impossible where needsCustomStage:
      "a program with these models refuses it, unless a custom stage of its migration plan does what is told below"
    case .impossible: "a program with these models refuses it"
    }
  }

  private var rewriteSummary: String {
    "\(forecast.rows.pluralized("row")) \(forecast.rows == 1 ? "is" : "are") written anew"
  }

  /// Whether the models and rows prevent the migration, and not a schema version later than the program's.
  private var needsCustomStage: Bool { forecast.failure?.code != StoreError.Code.newerSchema.rawValue }

  private func work(of table: MigrationForecast.Table) -> String {
    switch table.work {
    case .none: "nothing is done"
    case .create: "the table is made"
    case .indexes: "indexes are made or removed, and rows stay where they are"
    case .describe: "only the schema changes, and rows stay where they are"
    case .rebuild: "the table is written anew, with \(table.rows.pluralized("row"))"
    }
  }

  private func lines(of collision: MigrationForecast.Collision) -> [String] {
    let columns = collision.columns.joined(separator: ", ")
    let values = StoreError.valueCountDescription(collision.values)
    return [
      "  \(columns): \(values) more than once, in \(collision.rows.pluralized("row"))"
    ]
      + collision.examples.map { group in
        let more = group.rows - Int64(group.identifiers.count)
        let rows = group.identifiers.map(String.init).joined(separator: ", ")
        return "    rows \(rows)\(more > 0 ? " and \(more) more" : "")"
      }
  }
}
