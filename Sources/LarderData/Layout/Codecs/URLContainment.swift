import Foundation
import LarderSQLite
import LarderSupport
@_spi(Reflection) import Swift

/// Whether values of a type may contain URLs, which their JSON then codes with ``RelativeURLCoding``.
enum URLContainment {
  static func isPossible(in type: any Any.Type) -> Bool {
    let key = ObjectIdentifier(type)
    if let found = cache.withLock({ $0[key] }) { return found }
    var search = URLSearch()
    let found = search.mayContainURL(type)
    cache.withLock { $0[key] = found }
    return found
  }

  // A program's source has a fixed number of types, so this cache stays bounded.
  private static let cache = Locked<[ObjectIdentifier: Bool]>([:])
}

private struct URLSearch {
  private var visited: Set<ObjectIdentifier> = []

  mutating func mayContainURL(_ type: any Any.Type) -> Bool {
    if type == URL.self { return true }
    if TypeMetadata.isTrivial(type) || !visited.insert(ObjectIdentifier(type)).inserted { return false }
    // First, as an optional or a collection of a scalar may be a scalar itself.
    if let parted = type as? any GenericContainerType.Type { return parted.elementTypes.contains { mayContainURL($0) } }
    if type is any _ColumnValue.Type || TypeMetadata.isStandardLibrary(type) { return false }
    // The fields of an enumeration, an object or an existential are not accessible.
    guard TypeMetadata.isStruct(type) else { return true }
    var fields: [any Any.Type] = []
    let isWhole = _forEachField(of: type, options: []) { _, _, type, _ in
      fields.append(type)
      return true
    }
    return !isWhole || fields.contains { mayContainURL($0) }
  }
}
