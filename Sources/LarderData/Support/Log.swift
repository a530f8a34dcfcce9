import Foundation

/// What a program should know and cannot be thrown: a line on standard error.
enum Log {
  static func warning(_ message: String) {
    FileHandle.standardError.write(Data("larder: \(message)\n".utf8))
  }
}
