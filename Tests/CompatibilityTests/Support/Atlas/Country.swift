import SwiftData

/// A model of another module than those that relate to it.
@Model
public final class Country {
  #Unique<Country>([\.code])

  public var code: String
  public var kind: Kind
  public var names: [String: String] = [:]
  @Attribute(.externalStorage) public var flag: Data?
  @Attribute(.ephemeral) public var isShown = false
  public internal(set) var visits = 0

  public enum Kind: String, Codable, Sendable {
    case state, union
  }

  public init(code: String, kind: Kind = .state) {
    self.code = code
    self.kind = kind
  }

  public func visit() { visits += 1 }
}
