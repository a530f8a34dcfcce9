extension LoopbackServer.Response {
  /// Returns a stream of server-sent events.
  ///
  /// ```swift
  /// server.route("/events") { _ in .events { writer in writer.send("hello", event: "greeting") } }
  /// ```
  ///
  /// - Parameter start: A closure that receives the writer when the response begins.
  public static func events(
    headers: [String: String] = [:], start: @escaping @Sendable (LoopbackServer.StreamWriter) -> Void
  ) -> Self {
    let fields = headers.merging(["Cache-Control": "no-store"]) { given, _ in given }
    return .stream(type: "text/event-stream", headers: fields) { writer in
      // A comment, by which the client sees at once that the stream is open, before the first event.
      writer.write(":\n\n")
      start(writer)
    }
  }
}

extension LoopbackServer.StreamWriter {
  /// Sends one event.
  ///
  /// - Parameters:
  ///   - data: The event's data, which may have several lines.
  ///   - event: The event's type, one line. The default is `message`.
  /// - Returns: Whether the stream is still open.
  @discardableResult
  public func send(_ data: String, event: String? = nil) -> Bool {
    var text = ""
    if let event {
      text += "event: \(event.filter { !$0.isNewline })\n"
    }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      text += "data: \(line)\n"
    }
    return write(text + "\n")
  }
}
