import Foundation

extension Schema.Attribute {
  /// How an attribute's value is kept.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    private enum Kind: String, Codable {
      case unique, transformable, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral, spotlight
      case codable
    }

    private let kind: Kind
    /// The transformer's name, for `transformable`.
    package let transformerName: String?

    private init(_ kind: Kind, transformerName: String? = nil) {
      self.kind = kind
      self.transformerName = transformerName
    }

    /// No two objects have the same value; an insert with a value that exists updates the object that has it.
    public static var unique: Option { Option(.unique) }
    /// The stored form is made by a value transformer.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      let name = String(describing: transformerType)
      #if !canImport(ObjectiveC)
        ValueTransformer.registerIfAbsent(transformerType, forName: name)
      #endif
      return Option(.transformable, transformerName: name)
    }
    /// The stored form is made by the value transformer that is registered under this name.
    public static func transformable(by transformerName: String) -> Option {
      Option(.transformable, transformerName: transformerName)
    }
    /// The bytes may be kept apart from the row, and are read when first asked for.
    public static var externalStorage: Option { Option(.externalStorage) }
    /// Accepted, without effect: there is no iCloud here.
    public static var allowsCloudEncryption: Option { Option(.allowsCloudEncryption) }
    /// History keeps the value when the object is deleted, in the deletion's ``HistoryTombstone``: up to 64 MiB of values
    /// of one save. A value for which there is no room is left out; the object is deleted all the same.
    public static var preserveValueOnDeletion: Option { Option(.preserveValueOnDeletion) }
    /// Changes are tracked, but the value is not stored.
    public static var ephemeral: Option { Option(.ephemeral) }
    /// Accepted, without effect: there is no Spotlight here.
    public static var spotlight: Option { Option(.spotlight) }
    /// The value is stored whole, through its own coding, rather than split into columns.
    public static var codable: Option { Option(.codable) }

    public var debugDescription: String {
      transformerName.map { "transformable(by: \($0))" } ?? kind.rawValue
    }
  }
}
