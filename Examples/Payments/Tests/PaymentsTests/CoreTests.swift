import ExampleSupport
import Foundation
import LarderSecrets
import Testing

@testable import payments

/// A program that pays and crashes leaves no core, in which everything would be that it knows.
@Suite struct CoreTests {
  @Test func aCrashWritesNoCore() throws {
    let drafts = try JSONEncoder().encode([Scene.draft()])
    try crash(
      "paying", ["--pay", "drafts.json", "--store", "payments.store", "--order", "60"], ["drafts.json": drafts])
  }

  @Test func aCrashOfThePageWritesNone() throws {
    try crash(nil, ["--port", "0", "--store", "payments.store"], [:])
  }

  /// Runs the program until it has said something, and kills it.
  private func crash(_ said: String?, _ arguments: [String], _ contents: [String: Data]) throws {
    let folder = try TemporaryFolder()
    for (name, data) in contents { try data.write(to: folder.url.appending(path: name)) }
    let output = Pipe()
    let environment = [
      // Swift's own backtraces would hold the signal back, and go on after one that nobody but kill has sent.
      "SWIFT_BACKTRACE": "enable=no",
      // Nobody answers there, so that it goes on trying.
      "PAYMENTS_URL": "https://127.0.0.1:1", "PAYMENTS_PINS": Data(count: 32).base64EncodedString(),
      "PAYMENTS_TOKEN": "t", Payer.secretKey: (try SecretKey.random()).base64().text() ?? "",
    ]
    // Cores would be written if it were for the shell that starts it. The page is announced to whoever starts it, what is
    // paid to whoever reads on.
    let process = try ChildProgram(
      URL(filePath: "/bin/sh"),
      [
        "-c", "ulimit -c unlimited 2>/dev/null; cd \"$1\"; shift; exec \"$@\"", "sh", folder.url.path,
        try BankProcess.program("payments").path,
      ] + arguments,
      environment: environment, input: .nothing, output: said == nil ? .nothing : .pipe(output),
      error: said == nil ? .pipe(output) : .nothing)
    let line = output.fileHandleForReading.line()
    #expect(said == nil ? line?.isEmpty == false : line == said)
    // Also where cores go to a program, or to another folder: none is made.
    let limits = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
    #expect(
      limits.split(separator: "\n").contains {
        $0.split(separator: " ").starts(with: ["Max", "core", "file", "size", "0", "0"])
      })
    #expect(process.signal(SIGSEGV))
    #expect(process.wait() == .signal(SIGSEGV))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.contains("payments.store") && !files.contains { $0.hasPrefix("core") }, "\(files)")
  }

  /// Two programs that pay from one store could give one order two keys.
  @Test func onlyOneProgramPaysFromAStore() throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "payments.store")
    try ProgramLock.take(beside: store)
    let error = #expect(throws: Misunderstood.self) { try ProgramLock.take(beside: store, patience: 0) }
    #expect(error?.description.hasPrefix("Another program pays from this store") == true)
    try ProgramLock.take(beside: folder.url.appending(path: "other.store"), patience: 0)
  }
}
