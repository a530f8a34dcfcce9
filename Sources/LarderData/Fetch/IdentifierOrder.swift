import LarderSQLite
import LarderSupport

/// The order of identifiers, as `<` has it: by number, and in stores that name their rows otherwise, by these names.
enum IdentifierOrder {
  static var column: String { StoreFormat.identifierColumn }

  /// - Parameters:
  ///   - column: The column of identifiers, as it can stand in the statement.
  ///   - isAskedFor: Whether more is wanted than that rows which are equal in all else have some order.
  static func sql(_ column: String, isBackward: Bool, isAskedFor: Bool) -> String {
    let direction = isBackward ? " DESC" : ""
    guard isAskedFor, KeyName.areThere else { return column + direction }
    let number = column.hasPrefix("+") ? String(column.dropFirst()) : column
    return "(\(number) >= \(KeyName.first)) + (\(number) >= \(KeyName.last))\(direction), "
      + "\(PredicateFunctions.keyName)(\(number))\(direction), \(column)\(direction)"
  }

  static func isBefore(_ left: Int64, _ right: Int64) -> Bool {
    guard left >= KeyName.first, right >= KeyName.first, let one = KeyName.of(left), let other = KeyName.of(right),
      one !== other
    else { return left < right }
    return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
