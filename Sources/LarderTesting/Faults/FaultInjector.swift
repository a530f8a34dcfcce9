internal import Foundation
internal import Synchronization

/// Chooses the response to each request, and stores earlier responses.
final class FaultInjector: Sendable {
  private struct State {
    var plan: FaultPlan
    var count = 0
    var log: [FaultServer.LogEntry] = []
    /// The first response to each request, and the last one at each path.
    var firstResponses: [String: FaultServer.Response] = [:]
    var lastResponses: [String: FaultServer.Response] = [:]
  }

  private let state: Mutex<State>
  private let now: @Sendable () -> Date
  private let handler: FaultServer.Handler

  init(plan: FaultPlan, now: @escaping @Sendable () -> Date, handler: @escaping FaultServer.Handler) {
    state = Mutex(State(plan: plan))
    self.now = now
    self.handler = handler
  }

  var log: [FaultServer.LogEntry] { state.withLock { $0.log } }

  func setPlan(_ plan: FaultPlan) {
    state.withLock { state in
      state.plan = plan
      state.count = 0
    }
  }

  func makeSteps(for request: ScriptedServer.RecordedRequest) -> [ScriptedServer.Step] {
    if let answer = builtInResponse(request) {
      state.withLock { $0.log.append(.init(request: request, fault: nil, wasHandled: false)) }
      return wholeResponse(answer, to: request)
    }
    // One critical section takes the number and appends the entry, so that the log is in the order of the numbers.
    let (place, fault) = state.withLock { state in
      let fault = state.plan.fault(state.count, request)
      state.count += 1
      state.log.append(.init(request: request, fault: fault, wasHandled: false))
      return (state.log.count - 1, fault)
    }
    guard let fault else { return wholeResponse(runHandler(for: request, place), to: request) }
    if let answer = replacementResponse(for: request, fault) { return self.steps(fault, answer, to: request) }
    guard fault.reachesHandler || fault.isReplay else { return self.steps(fault, .status(200), to: request) }
    return self.steps(fault, runHandler(for: request, place), to: request)
  }

  /// Runs the handler, and returns its response.
  private func runHandler(for request: ScriptedServer.RecordedRequest, _ place: Int) -> FaultServer.Response {
    let answer = handler(request)
    state.withLock { state in
      state.log[place].wasHandled = true
      let name = request.method + " " + request.target
      if state.firstResponses[name] == nil { state.firstResponses[name] = answer }
      state.lastResponses[request.encodedPath] = answer
    }
    return answer
  }

  /// Returns the response at a target of this server's own redirects, or `nil` for other paths.
  private func builtInResponse(_ request: ScriptedServer.RecordedRequest) -> FaultServer.Response? {
    if request.encodedPath == ServerFault.portalPath { return ServerFault.portalPage }
    guard request.encodedPath.hasPrefix(ServerFault.loopPath),
      let status = Int(request.encodedPath.dropFirst(ServerFault.loopPath.count))
    else { return nil }
    return .status(status, headers: ["Location": request.target])
  }

  /// Returns a response that replaces the handler's, or `nil` if the handler runs or the fault sends no response.
  private func replacementResponse(for request: ScriptedServer.RecordedRequest, _ fault: ServerFault) -> FaultServer
    .Response?
  {
    switch fault.kind {
    case .staleReplay: state.withLock { $0.firstResponses[request.method + " " + request.target] }
    case .duplicatePage: state.withLock { $0.lastResponses[request.encodedPath] }
    default: fault.response(to: request, now: now())
    }
  }

  func wholeResponse(_ answer: FaultServer.Response, to request: ScriptedServer.RecordedRequest) -> [ScriptedServer
    .Step]
  {
    // One piece: a header that arrives separately would be a fault of another kind.
    [.sendData(answer.head(date: now()) + (request.method == "HEAD" ? Data() : answer.body))]
  }

  private func steps(
    _ fault: ServerFault, _ answer: FaultServer.Response, to request: ScriptedServer.RecordedRequest
  ) -> [ScriptedServer.Step] {
    fault.steps(answer, to: request, now: now()) ?? wholeResponse(fault.changed(answer, to: request), to: request)
  }
}
