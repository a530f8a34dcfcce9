/// What the demo's bank does with requests.
enum BankConduct: String, Sendable, Hashable, CaseIterable {
  case well, losesAnswers, stalls, unavailable, unreliable
}

/// What the page can do to the bank, and to the line that leads there.
protocol DemoControls: Sendable {
  var isCut: Bool { get }
  var conduct: BankConduct { get }
  func cut()
  func mend() throws
  func behave(_ conduct: BankConduct) async throws
  /// Has the bank believe in no token any more.
  ///
  /// - Returns: The code by which its customer signs in from now on.
  func endSession() async throws -> String
}
