import CSQLite
package import LarderSQLite
import LarderSupport

/// The Swift functions that the SQL of predicates and sort descriptors calls.
package enum PredicateFunctions {
  static let unwrap = "larder_unwrap"
  static let narrow = "larder_narrow"
  static let round = "larder_float"
  static let characters = "larder_characters"
  static let surrogateKey = "larder_key_name"

  // These messages identify the failure, see PredicateFailure.
  static let unexpectedNilMessage = "larder predicate unwraps nil"
  static let overflowMessage = "larder predicate overflows a narrow integer"

  /// Registers the functions with a connection. Each connection that fetches needs them.
  package static func register(on connection: Connection) throws {
    try connection.register(function: unwrap, arguments: 1, deterministic: true) { call in
      switch call.type(0) {
      case .null: call.fail(unexpectedNilMessage)
      case .integer: call.result(call.int64(0))
      case .real: call.result(call.double(0))
      case .text: call.result(call.string(0))
      case .blob: call.result(call.withBytes(0) { Array($0) })
      }
    }
    try connection.register(function: narrow, arguments: 3, deterministic: true) { call in
      guard !call.isNull(0) else { return }
      // A captured integer that exceeds a store's range is bound as a real number.
      guard call.type(0) == .integer else { return call.fail(overflowMessage) }
      let value = call.int64(0)
      guard (call.int64(1)...max(call.int64(1), call.int64(2))).contains(value) else {
        return call.fail(overflowMessage)
      }
      call.result(value)
    }
    try connection.register(function: round, arguments: 1, deterministic: true) { call in
      guard !call.isNull(0) else { return }
      call.result(Double(Float(call.double(0))))
    }
    try connection.register(function: characters, arguments: 1, deterministic: true) { call in
      guard !call.isNull(0) else { return }
      call.result(Int64(call.string(0).count))
    }
    // Not deterministic: a number is assigned again after its name is released.
    try connection.register(function: surrogateKey, arguments: 1, deterministic: false) { call in
      if let name = SurrogateKey.existing(call.int64(0)) { call.result(name.text) }
    }
    for function in StringFunction.allCases {
      // Not deterministic: the user's language may change while the program runs.
      try connection.register(function: function.rawValue, arguments: 2, deterministic: false) { call in
        guard !call.isNull(0), !call.isNull(1) else { return }
        call.result(function(call.string(0), call.string(1)))
      }
    }
    for order in LocalizedOrder.allCases { try register(order, on: connection) }
  }

  private static func register(_ order: LocalizedOrder, on connection: Connection) throws {
    // The order is passed as its index in the list, so that nothing needs to be retained.
    let place = LocalizedOrder.allCases.firstIndex(of: order) ?? 0
    let code = sqlite3_create_collation_v2(
      connection.handle, order.rawValue, SQLITE_UTF8, UnsafeMutableRawPointer(bitPattern: place + 1),
      { context, leftLength, left, rightLength, right in
        func text(_ bytes: UnsafeRawPointer?, _ length: Int32) -> String {
          String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
        }
        let order = LocalizedOrder.allCases[Int(bitPattern: context) - 1]
        return Int32(order.sign(text(left, leftLength), text(right, rightLength)))
      }, nil)
    guard code == SQLITE_OK else {
      throw PredicateFunctionError(name: order.rawValue, code: code)
    }
  }
}

/// The error for an order of strings that SQLite refused to add to a connection.
package struct PredicateFunctionError: Error, CustomStringConvertible {
  let name: String
  let code: Int32

  package var description: String {
    "SQLite refused to add the collation \(name) (code \(code)). Close other uses of the connection and open it anew."
  }
}
