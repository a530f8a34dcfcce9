/// The handlers by path and method.
struct Routes {
  enum Match {
    case handler(LoopbackServer.Handler)
    case otherMethods([LoopbackServer.Method])
    case none
  }

  private var exactRoutes: [String: [LoopbackServer.Method: LoopbackServer.Handler]] = [:]
  /// The routes that ended in `/*`, by the text before the star.
  private var prefixRoutes: [String: [LoopbackServer.Method: LoopbackServer.Handler]] = [:]

  mutating func add(_ handler: @escaping LoopbackServer.Handler, method: LoopbackServer.Method, path: String) {
    if path.hasSuffix("/*") {
      prefixRoutes[String(path.dropLast()), default: [:]][method] = handler
    } else {
      exactRoutes[path, default: [:]][method] = handler
    }
  }

  func match(_ method: LoopbackServer.Method, _ path: String) -> Match {
    let prefix = prefixRoutes.keys.filter { path.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
    guard let methods = exactRoutes[path] ?? prefix.flatMap({ prefixRoutes[$0] }) else { return .none }
    if let handler = methods[method] ?? (method == .head ? methods[.get] : nil) { return .handler(handler) }
    return .otherMethods(methods.keys.sorted { $0.rawValue < $1.rawValue })
  }
}
