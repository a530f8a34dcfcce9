import LarderSQLite
import LarderSupport

/// The order of identifiers, as `<` has it: by number, and in stores that name their rows otherwise, by these names.
enum IdentifierOrder {
  static var column: String { StoreFormat.identifierColumn }

  /// - Parameters:
  ///   - column: The column of identifiers, as it can stand in the statement.
  ///   - isAskedFor: Whether more is wanted than that rows which are equal in all else have some order.
  static func sql(_ column: String, isDescending isBackward: Bool, isExplicit isAskedFor: Bool) -> String {
    let direction = isBackward ? " DESC" : ""
    guard isAskedFor, SurrogateKey.isInUse else { return column + direction }
    let number = column.hasPrefix("+") ? String(column.dropFirst()) : column
    return "(\(number) >= \(SurrogateKey.firstNumber)) + (\(number) >= \(SurrogateKey.endNumber))\(direction), "
      + "\(PredicateFunctions.surrogateKey)(\(number))\(direction), \(column)\(direction)"
  }

  static func isBefore(_ left: Int64, _ right: Int64) -> Bool {
    guard left >= SurrogateKey.firstNumber, right >= SurrogateKey.firstNumber, let one = SurrogateKey.existing(left),
      let other = SurrogateKey.existing(right),
      one !== other
    else { return left < right }
    return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }
}
