public import Foundation

/// A file or a folder that cannot be used, and what to do.
public struct FileTrouble: Error, CustomStringConvertible {
  /// Where it is.
  public let path: String
  /// What is wrong, and what to do.
  public let description: String

  /// - Parameters:
  ///   - url: Where it is.
  ///   - what: What it is to whoever reads the words.
  ///   - problem: What is wrong with it.
  ///   - advice: What to do.
  public init(_ url: URL, _ what: String, _ problem: String, advice: String) {
    path = url.path(percentEncoded: false)
    description = "\(path), \(what), \(problem). \(advice)"
  }
}

/// Files, with errors that people can act upon.
public enum Files {
  /// The bytes of a file.
  ///
  /// - Parameters:
  ///   - url: Where it is.
  ///   - what: What it is to whoever reads the words, as "the list of what to pay".
  ///   - advice: What to do where it cannot be read.
  public static func read(_ url: URL, _ what: String, advice: String) throws(FileTrouble) -> Data {
    // Foundation's errors of these name another cause.
    switch (try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path))?[.type]
      as? FileAttributeType
    {
    case .typeDirectory?: throw FileTrouble(url, what, "is a folder", advice: advice)
    case .typeCharacterSpecial?, .typeBlockSpecial?, .typeSocket?:
      throw FileTrouble(url, what, "is no file", advice: advice)
    default: break
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw FileTrouble(url, what, "cannot be read: \(words(error))", advice: advice)
    }
  }

  /// Writes a file as a whole.
  public static func write(_ data: Data, to url: URL, _ what: String, advice: String) throws(FileTrouble) {
    do {
      try data.write(to: url, options: .atomic)
    } catch {
      throw FileTrouble(url, what, "cannot be written: \(words(error))", advice: advice)
    }
  }

  /// Makes the folder of a file, if it is not there.
  public static func makeFolder(of url: URL, _ what: String, advice: String) throws(FileTrouble) {
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw FileTrouble(folder, what, "cannot be made: \(words(error))", advice: advice)
    }
  }

  /// Foundation's own words name its types and its codes.
  private static func words(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: return "there is none"
    case .fileReadNoPermission?, .fileWriteNoPermission?: return "this user may not"
    case .fileWriteOutOfSpace?: return "the disk is full"
    case .fileWriteVolumeReadOnly?: return "the disk can only be read"
    case .fileWriteFileExists?: return "something else has its name"
    default: break
    }
    let cause = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError) ?? (error as NSError)
    return cause.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(cause.code))) : error.localizedDescription
  }
}
