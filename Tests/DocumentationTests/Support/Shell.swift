import Foundation

/// Runs a line as a person would, and answers with what it printed.
enum Shell {
  struct Failed: Error {
    var line: String
    var status: Int32
    var message: String
  }

  static func run(_ line: String, in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    let message = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(
        line: line, status: process.terminationStatus, message: String(decoding: message, as: UTF8.self))
    }
    return String(decoding: printed, as: UTF8.self)
  }
}
