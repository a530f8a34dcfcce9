/// A configuration that a container creates a data store from.
///
/// ```swift
/// struct JSONStoreConfiguration: DataStoreConfiguration {
///   typealias Store = JSONStore
///   var name: String
///   var schema: Schema?
///   var fileURL: URL
/// }
///
/// let container = try ModelContainer(
///   for: Trip.self, configurations: JSONStoreConfiguration(name: "Trips", fileURL: url))
/// ```
///
/// The configurations of a container have distinct names. Two configurations are equal if they describe the same store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the data store.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// The name that distinguishes the configuration from the container's other ones.
  var name: String { get }
  /// The models that the store contains, or `nil` for the container's models that no other configuration names.
  var schema: Schema? { get set }

  /// Throws an error if the configuration is invalid, before the store is created. The default implementation does nothing.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}

extension ModelConfiguration: DataStoreConfiguration {
  public typealias Store = DefaultStore
}
