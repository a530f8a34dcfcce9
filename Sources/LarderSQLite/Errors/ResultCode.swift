/// The primary result code of SQLite: the kind of failure.
///
/// For example:
///
/// ```swift
/// do { try database.write { … } } catch let error as SQLiteError where error.code == .full { … }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Creates the primary code of an extended one.
  public init(extended: Int32) { rawValue = extended & 0xFF }

  public static let ok = ResultCode(rawValue: 0)
  public static let error = ResultCode(rawValue: 1)
  public static let `internal` = ResultCode(rawValue: 2)
  public static let permission = ResultCode(rawValue: 3)
  public static let abort = ResultCode(rawValue: 4)
  public static let busy = ResultCode(rawValue: 5)
  public static let locked = ResultCode(rawValue: 6)
  public static let noMemory = ResultCode(rawValue: 7)
  public static let readOnly = ResultCode(rawValue: 8)
  public static let interrupted = ResultCode(rawValue: 9)
  public static let ioError = ResultCode(rawValue: 10)
  public static let corrupt = ResultCode(rawValue: 11)
  public static let notFound = ResultCode(rawValue: 12)
  public static let full = ResultCode(rawValue: 13)
  public static let cantOpen = ResultCode(rawValue: 14)
  public static let `protocol` = ResultCode(rawValue: 15)
  public static let schemaChanged = ResultCode(rawValue: 17)
  public static let tooBig = ResultCode(rawValue: 18)
  public static let constraint = ResultCode(rawValue: 19)
  public static let mismatch = ResultCode(rawValue: 20)
  public static let misuse = ResultCode(rawValue: 21)
  public static let authorization = ResultCode(rawValue: 23)
  public static let range = ResultCode(rawValue: 25)
  public static let notADatabase = ResultCode(rawValue: 26)
  public static let row = ResultCode(rawValue: 100)
  public static let done = ResultCode(rawValue: 101)
}

extension ResultCode: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ok: "ok"
    case .error: "error"
    case .internal: "internal"
    case .permission: "permission"
    case .abort: "abort"
    case .busy: "busy"
    case .locked: "locked"
    case .noMemory: "noMemory"
    case .readOnly: "readOnly"
    case .interrupted: "interrupted"
    case .ioError: "ioError"
    case .corrupt: "corrupt"
    case .notFound: "notFound"
    case .full: "full"
    case .cantOpen: "cantOpen"
    case .protocol: "protocol"
    case .schemaChanged: "schemaChanged"
    case .tooBig: "tooBig"
    case .constraint: "constraint"
    case .mismatch: "mismatch"
    case .misuse: "misuse"
    case .authorization: "authorization"
    case .range: "range"
    case .notADatabase: "notADatabase"
    default: "code \(rawValue)"
    }
  }
}
