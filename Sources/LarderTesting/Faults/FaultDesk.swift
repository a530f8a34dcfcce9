internal import Foundation
internal import Synchronization

/// Decides what becomes of each request, and keeps what was answered before.
final class FaultDesk: Sendable {
  private struct State {
    var plan: FaultPlan
    var count = 0
    var log: [FaultServer.Entry] = []
    /// The first answer to each request, and the last one at each path.
    var first: [String: FaultServer.Answer] = [:]
    var last: [String: FaultServer.Answer] = [:]
  }

  private let state: Mutex<State>
  private let now: @Sendable () -> Date
  private let handler: FaultServer.Handler

  init(plan: FaultPlan, now: @escaping @Sendable () -> Date, handler: @escaping FaultServer.Handler) {
    state = Mutex(State(plan: plan))
    self.now = now
    self.handler = handler
  }

  var log: [FaultServer.Entry] { state.withLock { $0.log } }

  func use(_ plan: FaultPlan) {
    state.withLock { state in
      state.plan = plan
      state.count = 0
    }
  }

  func steps(for request: ScriptedServer.Recorded) -> [ScriptedServer.Step] {
    if let answer = ownAnswer(request) {
      state.withLock { $0.log.append(.init(request: request, fault: nil, hasActed: false)) }
      return whole(answer, to: request)
    }
    // The number is taken and the entry made in one step, so that the log is in the order of the numbers.
    let (place, fault) = state.withLock { state in
      let fault = state.plan.fault(state.count, request)
      state.count += 1
      state.log.append(.init(request: request, fault: fault, hasActed: false))
      return (state.log.count - 1, fault)
    }
    guard let fault else { return whole(acted(on: request, place), to: request) }
    if let answer = instead(of: request, fault) { return self.steps(fault, answer, to: request) }
    guard fault.reachesHandler || fault.isReplay else { return self.steps(fault, .status(200), to: request) }
    return self.steps(fault, acted(on: request, place), to: request)
  }

  /// What the server that is well answers.
  private func acted(on request: ScriptedServer.Recorded, _ place: Int) -> FaultServer.Answer {
    let answer = handler(request)
    state.withLock { state in
      state.log[place].hasActed = true
      let name = request.method + " " + request.target
      if state.first[name] == nil { state.first[name] = answer }
      state.last[request.encodedPath] = answer
    }
    return answer
  }

  /// Where this server's own redirects lead.
  private func ownAnswer(_ request: ScriptedServer.Recorded) -> FaultServer.Answer? {
    if request.encodedPath == ServerFault.portalPath { return ServerFault.portalPage }
    guard request.encodedPath.hasPrefix(ServerFault.loopPath),
      let status = Int(request.encodedPath.dropFirst(ServerFault.loopPath.count))
    else { return nil }
    return .status(status, headers: ["Location": request.target])
  }

  /// What is answered in the handler's place; nil where that is asked, or nothing is answered.
  private func instead(of request: ScriptedServer.Recorded, _ fault: ServerFault) -> FaultServer.Answer? {
    switch fault.kind {
    case .staleReplay: state.withLock { $0.first[request.method + " " + request.target] }
    case .duplicatePage: state.withLock { $0.last[request.encodedPath] }
    default: fault.answer(to: request, now: now())
    }
  }

  func whole(_ answer: FaultServer.Answer, to request: ScriptedServer.Recorded) -> [ScriptedServer.Step] {
    // One piece: a header that comes by itself would be a fault of another kind.
    [.sendData(answer.head(date: now()) + (request.method == "HEAD" ? Data() : answer.body))]
  }

  private func steps(
    _ fault: ServerFault, _ answer: FaultServer.Answer, to request: ScriptedServer.Recorded
  ) -> [ScriptedServer.Step] {
    fault.steps(answer, to: request, now: now()) ?? whole(fault.changed(answer, to: request), to: request)
  }
}
