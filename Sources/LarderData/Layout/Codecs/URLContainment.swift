import Foundation
import LarderSQLite
import LarderSupport
@_spi(Reflection) import Swift

/// Whether values of a type may have URLs within them, whose coding as JSON is then their own (``URLKeeping``).
enum URLContainment {
  static func isPossible(in type: any Any.Type) -> Bool {
    let key = ObjectIdentifier(type)
    if let found = cache.withLock({ $0[key] }) { return found }
    var search = URLSearch()
    let found = search.mayContainURL(type)
    cache.withLock { $0[key] = found }
    return found
  }

  // A program has as many types as it has written, so this does not grow.
  private static let cache = Locked<[ObjectIdentifier: Bool]>([:])
}

private struct URLSearch {
  private var visited: Set<ObjectIdentifier> = []

  mutating func mayContainURL(_ type: any Any.Type) -> Bool {
    if type == URL.self { return true }
    if TypeMetadata.isTrivial(type) || !visited.insert(ObjectIdentifier(type)).inserted { return false }
    // First, as one of a scalar may be a scalar itself.
    if let parted = type as? any GenericContainerType.Type { return parted.elementTypes.contains { mayContainURL($0) } }
    if type is any _ColumnValue.Type || TypeMetadata.isStandardLibrary(type) { return false }
    // The fields of an enumeration, of an object or of an existential cannot be asked for.
    guard TypeMetadata.isStruct(type) else { return true }
    var fields: [any Any.Type] = []
    let isWhole = _forEachField(of: type, options: []) { _, _, type, _ in
      fields.append(type)
      return true
    }
    return !isWhole || fields.contains { mayContainURL($0) }
  }
}
