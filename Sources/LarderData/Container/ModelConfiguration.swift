public import Foundation

/// The location and the options of a container's store.
///
/// ```swift
/// let onDisk = ModelConfiguration("Trips", schema: Schema([Trip.self]))
/// let forTests = ModelConfiguration(isStoredInMemoryOnly: true)
/// let readOnly = ModelConfiguration(url: URL(filePath: "/srv/trips.store"), allowsSave: false)
/// ```
///
/// Without a URL a store is in the program's own folder under `$XDG_DATA_HOME`, or `~/.local/share` if that is not
/// set: `default.store`, or `Trips.store` for a configuration named "Trips".
public struct ModelConfiguration: Identifiable, Sendable {
  /// The store's file. For a store in memory it is `file:///dev/null`.
  public let url: URL
  /// The name that distinguishes the configurations of one container.
  public let name: String
  /// The models in this configuration's store; `nil` for all models of its container.
  public var schema: Schema?
  /// Whether contexts may save. If not, the store's file is opened read-only.
  public let allowsSave: Bool
  /// Whether the store is in memory, and is freed with its container.
  public let isStoredInMemoryOnly: Bool
  /// The group specified as `groupContainer`. No effect: there are no app groups on this platform.
  public let groupAppContainerIdentifier: String?
  /// The database specified as `cloudKitDatabase`. No effect: there is no iCloud on this platform.
  public let cloudKitContainerIdentifier: String?
  /// The value of the parameter `groupContainer`. No effect.
  public let groupContainer: GroupContainer
  /// The value of the parameter `cloudKitDatabase`. No effect.
  public let cloudKitDatabase: CloudKitDatabase

  /// Whether the file's name was derived from `name`.
  let hasFileNameFromName: Bool
  /// An addition to Apple's API; see ``historyRetention``.
  var retention = HistoryRetention()

  /// The store's URL.
  public var id: URL { url }

  /// Creates the default configuration, on disk or in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates the default configuration for some of a container's models.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration with a store in the program's own folder, or in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration and its file; `nil` for "default".
  ///   - schema: The models in the store; `nil` for all models of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory, and is freed with its container.
  ///   - allowsSave: Whether contexts may save.
  ///   - groupContainer: Accepted, without effect.
  ///   - cloudKitDatabase: Accepted, without effect.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let name = name ?? Self.defaultName
    self.init(
      name: name, schema: schema,
      url: isStoredInMemoryOnly ? Self.memoryURL : DefaultStoreLocation.current.file(for: name),
      hasFileNameFromName: !isStoredInMemoryOnly, allowsSave: allowsSave, groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase)
  }

  /// Creates a configuration with a store in the specified file.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; `nil` for the file's name without its extension.
  ///   - schema: The models in the store; `nil` for all models of the container.
  ///   - url: The file. `file:///dev/null` is a store in memory.
  ///   - allowsSave: Whether contexts may save.
  ///   - cloudKitDatabase: Accepted, without effect.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name ?? (Self.isMemory(url) ? Self.defaultName : url.deletingPathExtension().lastPathComponent),
      schema: schema, url: url, hasFileNameFromName: false, allowsSave: allowsSave, groupContainer: .none,
      cloudKitDatabase: cloudKitDatabase)
  }

  private init(
    name: String, schema: Schema?, url: URL, hasFileNameFromName isNamedFile: Bool, allowsSave: Bool,
    groupContainer: GroupContainer,
    cloudKitDatabase: CloudKitDatabase
  ) {
    self.name = name
    self.schema = schema
    self.url = url
    self.hasFileNameFromName = isNamedFile
    self.allowsSave = allowsSave
    isStoredInMemoryOnly = Self.isMemory(url)
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    groupAppContainerIdentifier = groupContainer.identifier
    cloudKitContainerIdentifier = cloudKitDatabase.identifier
  }

  /// The name of a configuration that was created without a name.
  static let defaultName = "default"
  /// The URL of a store in memory, as on Apple's systems.
  static let memoryURL = URL(filePath: "/dev/null", directoryHint: .notDirectory)

  private static func isMemory(_ url: URL) -> Bool { url.isFileURL && url.path == memoryURL.path }
}

extension ModelConfiguration {
  /// The iCloud database that mirrors a store. Accepted, without effect: there is no iCloud on this platform.
  public struct CloudKitDatabase: Sendable {
    fileprivate let choice: Choice
    fileprivate var identifier: String? { choice.identifier }

    /// The database for which the program has an entitlement.
    public static var automatic: Self { Self(choice: .automatic) }
    /// No database.
    public static var none: Self { Self(choice: .none) }
    /// Returns the private database with the specified name.
    public static func `private`(_ privateDBName: String) -> Self { Self(choice: .named(privateDBName)) }
  }

  /// The app group whose folder contains a store. Accepted, without effect: there are no app groups on this platform.
  public struct GroupContainer: Sendable {
    fileprivate let choice: Choice
    fileprivate var identifier: String? { choice.identifier }

    /// The group for which the program has an entitlement.
    public static var automatic: Self { Self(choice: .automatic) }
    /// No group.
    public static var none: Self { Self(choice: .none) }
    /// Returns the group with the specified name.
    public static func identifier(_ groupName: String) -> Self { Self(choice: .named(groupName)) }
  }

  fileprivate enum Choice: Hashable {
    case automatic, none
    case named(String)

    var identifier: String? {
      guard case .named(let name) = self else { return nil }
      return name
    }
  }
}

extension ModelConfiguration: Hashable {
  // Properties without effect are not compared.
  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.name == right.name && left.url == right.url && left.schema == right.schema
      && left.allowsSave == right.allowsSave && left.isStoredInMemoryOnly == right.isStoredInMemoryOnly
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
    hasher.combine(allowsSave)
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  public var debugDescription: String {
    "ModelConfiguration - name: \(name), url: \(url.absoluteString), allowsSave: \(allowsSave), "
      + "isStoredInMemoryOnly: \(isStoredInMemoryOnly), "
      + "schema: \(schema.map { "\($0.entities.map(\.name))" } ?? "the container's")"
  }
}
