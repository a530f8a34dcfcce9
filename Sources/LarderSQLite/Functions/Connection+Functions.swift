internal import CSQLite

extension Connection {
  /// Registers a scalar SQL function, written in Swift, with this connection.
  ///
  /// ```swift
  /// try connection.register(function: "reversed", arguments: 1, deterministic: true) { call in
  ///   call.result(String(call.string(0).reversed()))
  /// }
  /// ```
  ///
  /// The function exists until the connection closes or the function is registered again. It cannot be used in a
  /// schema: another program that opens the file does not have it.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - arguments: The number of arguments; -1 for any number.
  ///   - deterministic: Whether equal arguments give equal results, so that SQLite may call it less often.
  ///   - body: Sets the result, or fails.
  /// - Throws: ``SQLiteError``, also if the connection is closed.
  public func register(
    function name: String, arguments: Int, deterministic: Bool,
    body: @escaping (borrowing FunctionContext) -> Void
  ) throws {
    let context = "registering the function \(name)"
    guard isOpen else { throw SQLiteError.closed(context: context) }
    guard let arguments = Int32(exactly: arguments) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "too many arguments", context: context)
    }
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (deterministic ? SQLITE_DETERMINISTIC : 0)
    let box = Unmanaged.passRetained(FunctionBody(body))
    // SQLite releases the body when the function is removed, and also when it refuses to register it.
    let code = sqlite3_create_function_v2(
      handle, name, arguments, flags, box.toOpaque(),
      { context, count, values in
        guard let data = sqlite3_user_data(context) else { return }
        let body = Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue()
        body.call(FunctionContext(context: context, count: count, arguments: values))
      },
      nil, nil,
      { data in if let data { Unmanaged<FunctionBody>.fromOpaque(data).release() } })
    if code != SQLITE_OK { throw SQLiteError(database: handle, code: code, context: context) }
  }
}

private final class FunctionBody {
  let call: (borrowing FunctionContext) -> Void

  init(_ call: @escaping (borrowing FunctionContext) -> Void) { self.call = call }
}
