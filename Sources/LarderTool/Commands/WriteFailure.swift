import Foundation
import LarderData
import LarderSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Errors of writes, with the name of the file and the reason.
enum WriteFailure {
  /// Runs a body, and converts its errors.
  ///
  /// - Parameters:
  ///   - name: The name of the output.
  ///   - state: The state of the output after the error, and the remedy once there is room.
  static func wrapping<Result>(_ name: String, _ state: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CocoaError {
      throw ToolError(description: "\(name) cannot be written: \(reason(error)). \(state)")
    } catch let error as DurableFileIO.Failure {
      throw ToolError(description: "\(name) cannot be written: \(error.reason). \(state)")
    }
  }

  /// Returns the reason why a file cannot be written or read. Foundation's own description often omits the cause.
  static func reason(_ error: CocoaError) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    let cause = underlying.flatMap { $0.domain == NSPOSIXErrorDomain ? Int32($0.code) : nil }
    // Foundation has no code of its own for the quota.
    if error.code == .fileWriteOutOfSpace || cause == ENOSPC || cause == EDQUOT {
      return "the disk is full, or the quota"
    }
    return cause.map { String(cString: strerror($0)) } ?? error.localizedDescription
  }
}
