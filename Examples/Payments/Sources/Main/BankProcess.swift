import ExampleSupport
import Foundation
import LarderHTTP

/// The bank, as a process of its own.
final class BankProcess: Sendable {
  private struct Opening: Codable {
    var port: UInt16
    var pin: String
    var authority: String
  }

  /// What the books say of a payment.
  struct Booked: Codable {
    var reference: String
    var recipientAccountNumber: String
    var status: String
  }

  let port: UInt16
  let pin: String
  let authority: URL
  private let process: ChildProgram
  /// The bank ends when nobody holds this any more.
  private let input = Pipe()
  private let director: HTTPClient

  /// - Parameters:
  ///   - keys: What it does with idempotency keys: `honours`, `forgets` or `none`.
  ///   - folder: Where its certificate is put.
  ///   - token: By which its customer signs in.
  ///   - books: Where its books are kept; nil for books that go with it.
  init(keys: String, folder: URL, token: String, books: URL? = nil) throws {
    let directionKey = UUID().uuidString
    let output = Pipe()
    let arguments = ["--keys", keys, "--authority", folder.appending(path: "bank.pem").path]
    do {
      process = try ChildProgram(
        Self.program("payments-bank"), arguments + (books.map { ["--books", $0.path] } ?? []),
        environment: ["BANK_TOKEN": token, "BANK_DIRECTION": directionKey, "PATH": ""], input: .pipe(input),
        output: .pipe(output))
    } catch let error as ChildProgram.NotStarted {
      throw Misunderstood(description: "\(error.description). Build the bank again.")
    }
    guard let line = output.fileHandleForReading.line(),
      let opening = try? JSONDecoder().decode(Opening.self, from: Data(line.utf8))
    else { throw Misunderstood(description: "The bank did not open; what it said stands above.") }
    port = opening.port
    pin = opening.pin
    authority = URL(filePath: opening.authority)

    var options = CurlTransport.Options()
    options.proxy = .none
    options.trustRoots = .only(
      pem: try Files.read(
        authority, "the certificate of the bank's authority", advice: "Start the program again, which makes another."))
    var configuration = HTTPClient.Configuration()
    configuration.headers["Direction-Key"] = directionKey
    configuration.secretHeaders = ["Direction-Key"]
    configuration.decoder = JSONDecoder.standardDecoder
    let url = URL(string: "https://127.0.0.1:\(port)") ?? URL(filePath: "/")
    director = HTTPClient(
      baseURL: url, configuration: configuration, transport: CurlTransport(options: options))
  }

  deinit { process.terminate() }

  var processIdentifier: Int32 { process.processIdentifier }

  /// What a program that pays is told of it.
  ///
  /// - Parameter url: Where it is reached: by itself, or at the beginning of a line that leads there.
  func environment(at url: URL) -> [String: String] {
    [
      BankEnvironment.Variable.url.rawValue: url.absoluteString, BankEnvironment.Variable.pins.rawValue: pin,
      BankEnvironment.Variable.authority.rawValue: authority.path,
    ]
  }

  /// A program that was built beside this one.
  static func program(_ name: String) throws -> URL {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    for folder in [own.deletingLastPathComponent(), Bundle.main.bundleURL] {
      let program = folder.appending(path: name)
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
    }
    throw Misunderstood(description: "\(name) is not beside this program; build both.")
  }

  /// Has it fail from now on in these ways.
  func fail(_ faults: [String], share: Double, seed: UInt64) async throws {
    struct Orders: Encodable {
      var faults: [String]
      var share: Double
      var seed: UInt64
    }
    let body = try JSONEncoder().encode(Orders(faults: faults, share: share, seed: seed))
    try await director.request(
      Endpoint<Void>.post("/direction/behaviour", body: .data(body, type: "application/json")))
  }

  /// Has it believe in no token any more, and in another code.
  func endSession(next code: String) async throws {
    let body = try JSONEncoder().encode(["token": code])
    try await director.request(
      Endpoint<Void>.post("/direction/session", body: .data(body, type: "application/json")))
  }

  /// Its books.
  func ledger() async throws -> [Booked] {
    try await director.request(Endpoint<[Booked]>.get("/direction/ledger"))
  }
}

extension FileHandle {
  /// A line, without its end; nil at the end.
  func line() -> String? {
    var line = Data()
    while let byte = try? read(upToCount: 1), !byte.isEmpty {
      if byte == Data([0x0A]) { return String(decoding: line, as: UTF8.self) }
      line += byte
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
