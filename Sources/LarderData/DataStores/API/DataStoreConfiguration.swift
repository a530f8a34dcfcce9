/// What a container makes a store from.
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
/// Configurations of one container have names of their own, and are equal where they lead to the same store.
public protocol DataStoreConfiguration: Hashable {
  /// The store that it leads to.
  associatedtype Store: DataStore where Self == Store.Configuration

  /// What tells the configurations of a container apart.
  var name: String { get }
  /// The models that the store keeps; nil for those of the container that no other configuration names.
  var schema: Schema? { get set }

  /// Says what is wrong with the configuration, before the store is made; the default finds nothing.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}

extension ModelConfiguration: DataStoreConfiguration {
  public typealias Store = DefaultStore
}
