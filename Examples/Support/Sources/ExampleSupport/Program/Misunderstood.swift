public import Foundation

/// Arguments or variables that cannot be understood.
public struct Misunderstood: Error, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let description: String

  /// - Parameter description: What is wrong, and what would be right.
  public init(description: String) {
    self.description = description
  }
}

/// How the examples read what they were asked to do.
public enum Reading {
  /// A port's number; 0 is any that is free.
  public static func port(_ text: String) throws(Misunderstood) -> UInt16 {
    guard let port = UInt16(text) else {
      throw Misunderstood(description: "“\(text)” is no port: give a number from 0 to 65535.")
    }
    return port
  }

  /// A number of seconds.
  public static func seconds(_ text: String, called what: String) throws(Misunderstood) -> Double {
    guard let seconds = Double(text), seconds >= 0.05, seconds <= 3600 else {
      throw Misunderstood(description: "“\(text)” is no \(what): give seconds from 0.05 to 3600.")
    }
    return seconds
  }

  /// A file, from where the program was started.
  public static func file(_ path: String) -> URL {
    URL(filePath: path).absoluteURL.standardizedFileURL
  }

  /// Whether a variable that is a switch is on.
  public static func isOn(_ value: String?) -> Bool {
    guard let value else { return false }
    return !["", "0", "no", "false"].contains(value.lowercased())
  }
}
