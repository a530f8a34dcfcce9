import ExampleSupport
import Foundation

/// A second process that reads a store, as seen by the first.
struct ReaderProcess: ~Copyable {
  struct Silent: Error, CustomStringConvertible {
    let description: String
  }

  /// Far more than it takes, even on a slow machine.
  private static let patience = 30.0

  private let process: ChildProgram
  private let input = Pipe()
  private let output = Pipe()

  /// Starts it.
  ///
  /// - Parameters:
  ///   - program: This program's file.
  ///   - store: What it is to read.
  init(program: URL, store: URL) throws {
    process = try ChildProgram(
      program, ["--read", "--store", store.path], input: .pipe(input), output: .pipe(output))
  }

  /// What it says next.
  func next() throws -> StoreReader.Line {
    // If it says nothing it is ended, which ends the wait.
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + Self.patience)
    timer.setEventHandler { [process] in process.terminate() }
    timer.resume()
    defer { timer.cancel() }
    var bytes = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      if byte.first == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    guard let line = StoreReader.Line(String(decoding: bytes, as: UTF8.self)) else {
      throw Silent(description: "The second process did not say what it saw.")
    }
    return line
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.wait()
  }
}
