import Foundation
import Testing

/// The compiler as a user's build runs it, against the modules that this test was built with.
struct Compiler {
  struct MissingModules: Error, CustomStringConvertible {
    let folder: URL
    var description: String { "no built modules beside the tests, in \(folder.path())" }
  }

  let products: URL
  let package: URL

  init() throws {
    // The tests' own executable lies in the folder of products, whatever the configuration.
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var folder = URL(filePath: executable).deletingLastPathComponent()
    if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
      folder = URL(filePath: bundle).deletingLastPathComponent()
    }
    products = folder
    package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    guard FileManager.default.fileExists(atPath: products.appending(path: "Modules/LarderData.swiftmodule").path())
    else { throw MissingModules(folder: folder) }
  }

  /// Compiles `source`, after an import of SwiftData, without making code of it: as far as the checks that need its control flow.
  ///
  /// - Returns: The lines that tell an error or a warning, without the file's name: "3:7: error: …".
  func diagnostics(_ source: String, flags: [String] = []) throws -> [String] {
    let folder = URL.temporaryDirectory.appending(path: "larder-compiler-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Wrong.swift")
    try "import SwiftData\n\(source)\n".write(to: file, atomically: true, encoding: .utf8)

    var arguments = [
      "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-module-name", "Wrong", "-parse-as-library",
    ]
    arguments += ["-I", products.appending(path: "Modules").path()]
    arguments += ["-load-plugin-executable", products.appending(path: "LarderMacros-tool").path() + "#LarderMacros"]
    for name in try FileManager.default.contentsOfDirectory(atPath: package.appending(path: "Sources").path())
    where name.hasPrefix("C") {
      let own = package.appending(path: "Sources/\(name)/module.modulemap")
      let generated = products.appending(path: "\(name).build/module.modulemap")
      for map in [own, generated] where FileManager.default.fileExists(atPath: map.path()) {
        arguments += ["-Xcc", "-fmodule-map-file=\(map.path())"]
      }
    }
    arguments += flags + [file.path()]
    return try run(arguments).split(separator: "\n").compactMap { line in
      guard line.contains(": error: ") || line.contains(": warning: "), !line.hasPrefix(" ") else { return nil }
      return line.hasPrefix(file.path()) ? String(line.dropFirst(file.path().utf8.count + 1)) : String(line)
    }
  }

  private func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
