import LarderSQLite
import LarderSupport

/// The order of identifiers, the same as `<`: by row ID, and in stores with keys of their own by these keys.
enum IdentifierOrder {
  static var column: String { StoreFormat.identifierColumn }

  /// Returns the ORDER BY term for identifiers.
  ///
  /// - Parameters:
  ///   - column: The identifier column, as it is written in the statement.
  ///   - isAskedFor: Whether a sort descriptor requests this order, rather than a tie-break between equal rows.
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
