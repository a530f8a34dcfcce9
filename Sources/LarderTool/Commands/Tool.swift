import Dispatch
import Foundation
import LarderData
import LarderMigration
import LarderSQLite
import Synchronization

/// The command `larder`: it inspects, checks and copies stores, without their models.
package struct Tool {
  private let terminal: Terminal

  package init(_ terminal: Terminal) { self.terminal = terminal }

  /// The exit status of a run.
  package enum ExitStatus: Int32 {
    case success = 0
    /// A store has a problem, or an operation has failed.
    case failure = 1
    /// The arguments are invalid.
    case usage = 2
  }

  /// The version in the changelog.
  static let version = "unreleased"

  package static let help = """
    usage: larder COMMAND

    Looks into stores that were made by Larder, whatever their models are.

      inspect STORE [--json]        what is in it: models, rows, indexes, history
      inspect STORE --schema        its schema, in JSON
      browse STORE [--port N]       look through it in a browser, and follow what is written to it
      check STORE [--json]          look for damage; exit 1 if there is any
      backup [--replace] [--unchecked] STORE FILE
                                    copy it while others use it; over a file that is there with --replace.
                                    The copy is checked before it takes its name: where there is damage, what
                                    was there stays, and exit 1. --unchecked copies damage, too
      export STORE [FILE]           write it as lines of JSON; FILE is made when all is written
      import FILE STORE             make a store of an export; goes on where it was interrupted
      migrate --dry-run STORE --to SCHEMA [--renamed OLD=NEW] [--fail-on-loss] [--json]
                                    what a program with other models would do to it as it opens it;
                                    exit 1 if it would refuse without a stage of a plan, or with --fail-on-loss if
                                    values would go. SCHEMA is a store of these models, or what inspect --schema
                                    says of one; --renamed tells of a class's former name

      --json                        say it in JSON
      -h, --help                    this text
      --version                     which larder this is
      --                            what follows is no option

    FILE may be -, for the standard output or input. Progress is told on the standard error, where that is a terminal.
    The exit status is 0 where all went well, 1 where something is wrong, and 2 for a mistake in the command.

    """

  package func run(_ words: [String]) -> ExitStatus {
    do {
      guard let command = words.first else { throw Arguments.UsageError(reason: "Which command?") }
      let rest = Array(words.dropFirst())
      if ["-h", "--help", "help"].contains(command)
        || rest.prefix(while: { $0 != "--" }).contains(where: ["-h", "--help"].contains)
      {
        try terminal.write(Self.help)
        return .success
      }
      switch command {
      case "version", "--version":
        _ = try Arguments(rest, flags: []).values([])
        try terminal.print("larder \(Self.version), for stores of format \(StoreFormat.version)")
        return .success
      case "inspect": return try inspect(Arguments(rest, flags: ["--json", "--schema"]))
      case "browse": return try browse(Arguments(rest, flags: [], options: ["--port"]))
      case "check": return try check(Arguments(rest, flags: ["--json"]))
      case "backup": return try backup(Arguments(rest, flags: ["--replace", "--unchecked"]))
      case "export": return try export(Arguments(rest, flags: []))
      case "import": return try importStore(Arguments(rest, flags: []))
      case "migrate":
        return try migrate(
          Arguments(rest, flags: ["--dry-run", "--fail-on-loss", "--json"], options: ["--to", "--renamed"]))
      default: throw Arguments.UsageError(reason: "There is no command \(command).")
      }
    } catch let mistake as Arguments.UsageError {
      terminal.printError("\(mistake.reason) Try larder --help.")
      return .usage
    } catch {
      terminal.printError(Self.message(for: error))
      return .failure
    }
  }

  private static func message(for error: any Error) -> String {
    if error is CancellationError { return "It was interrupted, and has left nothing." }
    return (error as? StoreError)?.explanation ?? (error as? ToolError)?.description ?? "\(error)"
  }

  private func open(_ path: String) throws -> SQLiteStore {
    try ToolFile.require(path, asA: "the store's file")
    var options = SQLiteStore.Options(url: URL(filePath: path))
    options.isReadOnly = true
    return try SQLiteStore.open(options, layouts: [])
  }

  // MARK: Commands

  private func inspect(_ arguments: Arguments) throws -> ExitStatus {
    let path = try arguments.values(["STORE"])[0]
    if arguments.hasFlag("--schema") {
      try terminal.print(SchemaFile(of: try open(path)))
      return .success
    }
    let summary = try StoreSummary(try open(path), path: path)
    if arguments.hasFlag("--json") {
      try terminal.print(summary)
    } else {
      for line in summary.lines { try terminal.print(line) }
    }
    return .success
  }

  private func browse(_ arguments: Arguments) throws -> ExitStatus {
    let path = try arguments.values(["STORE"])[0]
    let given = try arguments.value(of: "--port") ?? "0"
    guard let port = UInt16(given) else { throw Arguments.UsageError(reason: "\(given) is no port.") }
    let browser = try StoreBrowser(try open(path), path: path, port: port)
    try terminal.print("\(path) is shown at \(browser.url) until Ctrl-C.")
    InterruptHandler.waitForInterrupt()
    browser.stop()
    return .success
  }

  private struct Finding: Codable {
    var kind: String
    var entity: String?
    var row: Int64?
    var explanation: String
  }

  private func check(_ arguments: Arguments) throws -> ExitStatus {
    let path = try arguments.values(["STORE"])[0]
    let found = try problems(path)
    if arguments.hasFlag("--json") {
      try terminal.print(
        found.map { Finding(kind: $0.kind.rawValue, entity: $0.entityName, row: $0.row, explanation: $0.explanation) })
    } else {
      for problem in found { try terminal.print(problem.explanation.replacing("\n", with: " ")) }
      if found.isEmpty {
        try terminal.print("\(path): nothing is wrong")
      } else {
        terminal.printError(
          "\(path) is damaged. Restore a backup of it; or save what can be read, by larder export \(path) FILE, and check "
            + "what is missing there.")
      }
    }
    return found.isEmpty ? .success : .failure
  }

  /// Returns the integrity problems. A file that is too damaged to be opened as a store is a problem, too.
  private func problems(_ path: String, _ progress: Progress? = nil) throws -> [IntegrityProblem] {
    do {
      return try open(path).integrityProblems(progress)
    } catch let error as StoreError where error.code == .corrupt || error.code == .damagedMetadata {
      let first = IntegrityProblem(kind: .damagedFile, url: error.url, explanation: error.explanation)
      do {
        return [first] + (try SQLiteStore.fileIntegrityProblems(at: path, progress))
      } catch is SQLiteError {
        return [first]
      }
    }
  }

  private func backup(_ arguments: Arguments) throws -> ExitStatus {
    let values = try arguments.values(["STORE", "FILE"])
    let store = try open(values[0])
    // Checked first: otherwise the next error would advise replacing a file that must not be replaced.
    try store.checkBackup(to: URL(filePath: values[1]))
    guard arguments.hasFlag("--replace") || !FileManager.default.fileExists(atPath: values[1]) else {
      throw ToolError(description: "\(values[1]) is there already. Copy into a new file, or over that with --replace.")
    }
    let progress = Progress(totalUnitCount: -1)
    let line = ProgressLine(terminal) { "\($0) % copied" }
    // Progress of Foundation cannot be observed on every platform, so a timer polls it.
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { line.update(Int(100 * progress.fractionCompleted)) }
    timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
    timer.activate()
    defer {
      timer.cancel()
      line.clear()
    }
    let checking = Progress(totalUnitCount: -1)
    let interruption = InterruptHandler {
      progress.cancel()
      checking.cancel()
    }
    defer { interruption.remove() }
    if arguments.hasFlag("--unchecked") {
      try store.backUp(to: URL(filePath: values[1]), progress)
    } else {
      try store.backUp(to: URL(filePath: values[1]), progress) { copy in
        let path = copy.path(percentEncoded: false)
        let found = try problems(path, checking)
        guard let first = found.first else { return }
        // The copy is deleted, so the message names the store instead.
        let damage = first.explanation.replacing(path, with: values[0]).replacing("\n", with: " ")
        throw damageError(values[0], damage, more: found.count - 1, copy: values[1])
      }
    }
    return .success
  }

  private func damageError(_ store: String, _ damage: String, more: Int, copy: String) -> ToolError {
    let others = more == 0 ? "" : " There is more (\(more)): larder check \(store)."
    let end = damage.hasSuffix(".") ? "" : "."
    let state = FileManager.default.fileExists(atPath: copy) ? "\(copy) is as it was" : "\(copy) was not made"
    return ToolError(
      description:
        "\(store) is damaged. \(damage)\(end)\(others) \(state). To copy it all the same, add --unchecked.")
  }

  private func export(_ arguments: Arguments) throws -> ExitStatus {
    let values = try arguments.values(["STORE", "FILE"], optional: 1)
    let store = try open(values[0])
    let line = ProgressLine(terminal) { "\($0) rows written" }
    defer { line.clear() }
    let name = values.count > 1 ? values[1] : "-"
    if name == "-" {
      try WriteFailure.wrapping("The standard output", "What is there of the export is not whole: export again.") {
        _ = try StoreExport(store, to: terminal.output) { line.update($0) }.run()
      }
      return .success
    }
    if FileManager.default.fileExists(atPath: name) { throw alreadyExists(name) }
    if let owner = store.owner(ofFileAt: name) {
      throw ToolError(description: "\(name) has the name of a file that belongs to \(owner). Choose another name.")
    }
    if let problem = AtomicFile.nameProblem(of: URL(filePath: name), isDatabase: false) {
      throw ToolError(description: "\(name) cannot be made: \(problem).")
    }
    // The file gets its name after it is complete.
    guard let part = AtomicFile(of: URL(filePath: name)), let file = FileHandle(forWritingAtPath: part.path) else {
      throw ToolError(description: "\(name) cannot be made.")
    }
    let isOver = Atomic(false)
    let interruption = InterruptHandler { isOver.store(true, ordering: .relaxed) }
    defer { interruption.remove() }
    do {
      let export = StoreExport(store, to: file) {
        line.update($0)
        if isOver.load(ordering: .relaxed) { throw CancellationError() }
      }
      try WriteFailure.wrapping(
        name, "It was not made. Free some space, or name a file on another disk, and export again."
      ) {
        _ = try export.run()
        try file.synchronize()
        try file.close()
        // Another process may have created the file first.
        guard try DurableFileIO.createIfAbsent(name, from: part.path) else { throw alreadyExists(name) }
        part.finish()
      }
    } catch {
      try? FileManager.default.removeItem(atPath: part.path)
      throw error
    }
    return .success
  }

  private func alreadyExists(_ name: String) -> ToolError {
    ToolError(description: "\(name) is there already. Export into a new file.")
  }

  private func migrate(_ arguments: Arguments) throws -> ExitStatus {
    let path = try arguments.values(["STORE"])[0]
    guard arguments.hasFlag("--dry-run") else {
      throw Arguments.UsageError(
        reason:
          "A migration needs the models of a program, which does it as it opens the store. With --dry-run, migrate "
          + "tells what that would do.")
    }
    guard let name = try arguments.value(of: "--to") else {
      throw Arguments.UsageError(reason: "To which models? Name a store of theirs, or its schema, with --to.")
    }
    let renamed = try arguments.values(of: "--renamed").map { words -> (String, String) in
      let names = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else {
        throw Arguments.UsageError(reason: "--renamed is followed by OLD=NEW, and not by \(words).")
      }
      return (names[1], names[0])
    }
    let schema = try SchemaFile(at: name, opening: open)
    let store = try open(path)
    let (were, are) = (try SchemaFile(of: store).classNames, schema.classNames)
    for (new, old) in renamed where !are.contains(new) || !were.contains(old) {
      let unknown = are.contains(new) ? "\(path) has no class \(old)" : "\(name) has no class \(new)"
      throw ToolError(description: "\(unknown), of which --renamed \(old)=\(new) speaks.")
    }
    let forecast = try store.forecast(
      to: schema.tables, version: schema.version, renamed: Dictionary(renamed, uniquingKeysWith: { first, _ in first }))
    if arguments.hasFlag("--json") {
      try terminal.print(forecast)
    } else {
      for line in ForecastText(forecast, path: path).lines { try terminal.print(line) }
    }
    if arguments.hasFlag("--fail-on-loss") {
      let losses = forecast.losses
      if !losses.isEmpty {
        terminal.printError("Values would go, of so many rows: \(losses.joined(separator: ", ")).")
        return .failure
      }
    }
    return forecast.verdict == .impossible ? .failure : .success
  }

  private func importStore(_ arguments: Arguments) throws -> ExitStatus {
    let values = try arguments.values(["FILE", "STORE"])
    let file = values[0] == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: values[0])
    guard let file else { throw ToolError(description: "\(values[0]) cannot be read.") }
    let line = ProgressLine(terminal) { "\($0) rows read" }
    defer { line.clear() }
    do {
      _ = try StoreImport(file, to: values[1]) { line.update($0) }.run()
    } catch let error as SQLiteError where error.code == .full {
      throw ToolError(
        description:
          "\(values[1]) cannot be written: the disk is full, or the quota. What was read up to then is kept: free some "
          + "space, and run larder import again with the same export, which goes on where it was, or delete the file.")
    } catch let error as SQLiteError {
      throw StoreError(error, URL(filePath: values[1]), "importing")
    } catch let error as CocoaError {
      throw ToolError(description: "\(values[0]) cannot be read: \(WriteFailure.reason(error)).")
    }
    return .success
  }
}
