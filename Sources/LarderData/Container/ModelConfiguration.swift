public import Foundation

/// Where and how a container keeps its models.
///
/// ```swift
/// let onDisk = ModelConfiguration("Trips", schema: Schema([Trip.self]))
/// let forTests = ModelConfiguration(isStoredInMemoryOnly: true)
/// let readOnly = ModelConfiguration(url: URL(filePath: "/srv/trips.store"), allowsSave: false)
/// ```
///
/// Without a URL a store lies in the program's own folder under `$XDG_DATA_HOME`, or `~/.local/share` where that isn't
/// set: `default.store`, or `Trips.store` for a configuration named "Trips".
public struct ModelConfiguration: Identifiable, Sendable {
  /// The store's file. For a store in memory it is `file:///dev/null`.
  public let url: URL
  /// The name that tells configurations of one container apart.
  public let name: String
  /// The models that this configuration keeps; nil for all of its container's.
  public var schema: Schema?
  /// Whether contexts may save. A store that may not be changed is opened for reading only.
  public let allowsSave: Bool
  /// Whether the store lives in memory, and ends with its container.
  public let isStoredInMemoryOnly: Bool
  /// The group that was given in `groupContainer`. Without effect: there are no app groups here.
  public let groupAppContainerIdentifier: String?
  /// The database that was given in `cloudKitDatabase`. Without effect: there is no iCloud here.
  public let cloudKitContainerIdentifier: String?
  /// What was given as `groupContainer`. Without effect.
  public let groupContainer: GroupContainer
  /// What was given as `cloudKitDatabase`. Without effect.
  public let cloudKitDatabase: CloudKitDatabase

  /// Whether the file's name was made from `name`.
  let hasFileNameFromName: Bool
  /// Beyond Apple's; see ``historyRetention``.
  var retention = HistoryRetention()

  /// The store's URL.
  public var id: URL { url }

  /// Makes the default configuration, on disk or in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes the default configuration for some of a container's models.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Makes a configuration in the program's own folder, or in memory.
  ///
  /// - Parameters:
  ///   - name: Its name, and that of its file; nil for "default".
  ///   - schema: The models that it keeps; nil for all of the container's.
  ///   - isStoredInMemoryOnly: Whether it ends with its container.
  ///   - allowsSave: Whether it may be changed.
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

  /// Makes a configuration whose store is this file.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for the file's, without its extension.
  ///   - schema: The models that it keeps; nil for all of the container's.
  ///   - url: The file. `file:///dev/null` is a store in memory.
  ///   - allowsSave: Whether it may be changed.
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

  /// The name of a configuration that was given none.
  static let defaultName = "default"
  /// What a store in memory has for a file, as on Apple's systems.
  static let memoryURL = URL(filePath: "/dev/null", directoryHint: .notDirectory)

  private static func isMemory(_ url: URL) -> Bool { url.isFileURL && url.path == memoryURL.path }
}

extension ModelConfiguration {
  /// Which iCloud database mirrors a store. Accepted, without effect: there is no iCloud here.
  public struct CloudKitDatabase: Sendable {
    fileprivate let choice: Choice
    fileprivate var identifier: String? { choice.identifier }

    /// The one that the program is entitled to.
    public static var automatic: Self { Self(choice: .automatic) }
    /// None.
    public static var none: Self { Self(choice: .none) }
    /// A private database of this name.
    public static func `private`(_ privateDBName: String) -> Self { Self(choice: .named(privateDBName)) }
  }

  /// In which app group's folder a store lies. Accepted, without effect: there are no app groups here.
  public struct GroupContainer: Sendable {
    fileprivate let choice: Choice
    fileprivate var identifier: String? { choice.identifier }

    /// The one that the program is entitled to.
    public static var automatic: Self { Self(choice: .automatic) }
    /// None.
    public static var none: Self { Self(choice: .none) }
    /// The group of this name.
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
  // What has no effect here takes no part.
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
