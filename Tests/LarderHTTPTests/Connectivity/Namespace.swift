import Foundation
import Testing

/// A network namespace, in which links may come and go without anybody else knowing.
enum Namespace {
  /// How one is made here; nil where that is not permitted. By root, and by a user who is root among his own.
  static let unshare: String? = makings.first { run($0 + making).isDone }

  /// What a test says that is left out.
  static let refusal = Comment(
    rawValue: "this machine makes no network namespace with links in it ("
      + (run(makings[0] + making).output.split(separator: "\n").last ?? "it does not say why")
      + "): it takes root or user namespaces, the kernel's veth, util-linux and iproute2")

  private static let makings = ["unshare --net ", "unshare --user --map-root-user --net "]
  private static let making = "ip link add v0 type veth"

  /// Runs the program beside these tests in a namespace of its own, and takes its line `name=value …` apart.
  static func victim(_ arguments: String) throws -> [String: String] {
    let folder = try #require(Bundle.main.executableURL?.deletingLastPathComponent())
    let unshare = try #require(unshare)
    let (isDone, output) = run("\(unshare)'\(folder.appending(path: "LinkVictim").path())' \(arguments)")
    #expect(isDone, "\(output)")
    let pairs = output.split { $0 == " " || $0 == "\n" }.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { _, last in last }
  }

  /// Not by Foundation's `Process`, whose `waitUntilExit` misses the end of what ends at once.
  private static func run(_ command: String) -> (isDone: Bool, output: String) {
    guard let pipe = popen(command + " 2>&1", "r") else { return (false, "popen: errno \(errno)") }
    var output = Data()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      output.append(contentsOf: buffer[..<count])
    }
    return (pclose(pipe) == 0, String(decoding: output, as: UTF8.self))
  }
}
