import Foundation

extension Schema.Attribute {
  /// An option for storing an attribute's value.
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

    /// A unique value: an insert with a value that already exists updates the existing object.
    public static var unique: Option { Option(.unique) }
    /// A stored form that a value transformer creates.
    ///
    /// - Parameter transformerType: The class of the transformer.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      let name = String(describing: transformerType)
      #if !canImport(ObjectiveC)
        ValueTransformer.registerIfAbsent(transformerType, forName: name)
      #endif
      return Option(.transformable, transformerName: name)
    }
    /// A stored form that the value transformer registered under this name creates.
    ///
    /// - Parameter transformerName: The name of the transformer.
    public static func transformable(by transformerName: String) -> Option {
      Option(.transformable, transformerName: transformerName)
    }
    /// Bytes that may be stored outside of the row, and are read on first access.
    public static var externalStorage: Option { Option(.externalStorage) }
    /// Accepted, without effect: there is no iCloud here.
    public static var allowsCloudEncryption: Option { Option(.allowsCloudEncryption) }
    /// A value that history keeps when the object is deleted, in the deletion's ``HistoryTombstone``: up to 64 MiB of values
    /// per save. A value that exceeds this limit is omitted; the object is deleted anyway.
    public static var preserveValueOnDeletion: Option { Option(.preserveValueOnDeletion) }
    /// A value whose changes are tracked, but that is not stored.
    public static var ephemeral: Option { Option(.ephemeral) }
    /// Accepted, without effect: there is no Spotlight here.
    public static var spotlight: Option { Option(.spotlight) }
    /// A value that is stored whole, as its own `Codable` implementation encodes it, instead of being split into columns.
    public static var codable: Option { Option(.codable) }

    public var debugDescription: String {
      transformerName.map { "transformable(by: \($0))" } ?? kind.rawValue
    }
  }
}
