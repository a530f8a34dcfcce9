import Foundation
import LarderJSON

/// What a decoder makes of a document, in a form that two of them can be compared by.
enum Outcome: Equatable {
  case value(String)
  case error(String, path: [String], type: String)

  init<Value: Decodable>(_ body: () throws -> Value) {
    do {
      self = .value(canonical(try body()))
    } catch let error as DecodingError {
      self = Outcome(error)
    } catch {
      self = .error("\(error)", path: [], type: "")
    }
  }

  private init(_ error: DecodingError) {
    func path(_ context: DecodingError.Context) -> [String] {
      context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    }
    switch error {
    case .typeMismatch(let type, let context): self = .error("typeMismatch", path: path(context), type: "\(type)")
    case .valueNotFound(let type, let context): self = .error("valueNotFound", path: path(context), type: "\(type)")
    case .keyNotFound(let key, let context):
      self = .error("keyNotFound", path: path(context), type: key.stringValue)
    case .dataCorrupted(let context): self = .error("dataCorrupted", path: path(context), type: "")
    @unknown default: self = .error("\(error)", path: [], type: "")
    }
  }

  /// Whether ours is as theirs, or better: the path of what is corrupted may be told where they leave it out.
  ///
  /// - Parameter type: What was decoded. Theirs goes through the keys of a dictionary in an order of its own, so of several
  ///   mistakes it may find another one first.
  func agrees(with theirs: Outcome, type: String) -> Bool {
    if self == theirs { return true }
    guard case .error(let ourKind, let ourPath, let ourType) = self,
      case .error(let theirKind, let theirPath, let theirType) = theirs
    else { return false }
    if ourKind == "dataCorrupted", theirKind == ourKind { return ourPath.starts(with: theirPath) }
    if ourKind == "valueNotFound", theirKind == "typeMismatch", ourType == "Bool", theirType == "Bool" {
      return ourPath == theirPath
    }
    return type.contains("Dictionary") && ourKind == theirKind && ourPath.dropLast() == theirPath.dropLast()
  }
}

/// A value in words, dictionaries and sets in the order of their elements' words.
private func canonical(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  if let decimal = value as? Decimal { return "\(decimal)" }
  if mirror.children.isEmpty { return value is String ? "\"\(value)\"" : "\(value)" }
  var parts = mirror.children.map { ($0.label.map { $0 + ":" } ?? "") + canonical($0.value) }
  if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
  return "\(mirror.subjectType)(" + parts.joined(separator: ",") + ")"
}
