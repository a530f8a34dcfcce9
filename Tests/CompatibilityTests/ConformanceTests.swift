import Foundation
import Testing

/// Documentation/conformance.md is what Scripts/conformance makes of the modules that these tests were built with, and
/// nothing of Apple's is missing unsaid.
@Suite struct ConformanceTests {
  @Test func theConformancePageIsUpToDate() throws {
    let compiler = try Compiler()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", compiler.package.appending(path: "Scripts/conformance").path(), "--check", "--products",
      compiler.products.path(),
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(said)")
  }
}
