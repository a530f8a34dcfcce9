internal import Foundation

/// What a program tells the person who started it.
public enum Terminal {
  /// Progress, on the error stream: what a script reads stays alone on the other.
  public static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// A result, for scripts.
  public static func put(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
