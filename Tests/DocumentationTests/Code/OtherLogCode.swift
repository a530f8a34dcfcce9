import Larder
import OtherNames

// snippet: other log
/// Hands events to swift-log, which has a `LogHandler` of its own.
struct OtherLog: LarderHTTP.LogHandler {
  let logger: Logger

  func log(_ entry: LogEntry) {
    let level: Logger.Level =
      switch entry.level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    logger.log(level: level, "\(entry.message.text)")
  }
}
// snippet end
