import Foundation
import Synchronization

/// The demo's bank and the line to it, as the page directs them.
final class BankControls: DemoControls {
  private let bank: BankProcess
  private let line: Line
  private let latest = Mutex(BankConduct.well)

  init(bank: BankProcess, line: Line) {
    self.bank = bank
    self.line = line
  }

  var isCut: Bool { line.isCut }
  var conduct: BankConduct { latest.withLock { $0 } }

  func cut() { line.cut() }
  func mend() throws { try line.mend() }

  func behave(_ conduct: BankConduct) async throws {
    try await bank.fail(conduct.faults, share: conduct.share, seed: UInt64.random(in: 1...999_999_999))
    latest.withLock { $0 = conduct }
  }

  func endSession() async throws -> String {
    let code = String(UUID().uuidString.prefix(8))
    try await bank.endSession(next: code)
    return code
  }
}

extension BankConduct {
  /// By the names that the bank has for them.
  fileprivate var faults: [String] {
    switch self {
    case .well: []
    case .losesAnswers: ["closeAfterCommit"]
    case .stalls: ["stall"]
    case .unavailable: ["status"]
    case .unreliable: ["closeBeforeCommit", "closeAfterCommit", "closeWithinHead", "reset", "status"]
    }
  }

  /// How many of the requests meet one.
  fileprivate var share: Double {
    switch self {
    case .well: 0
    case .losesAnswers, .stalls, .unavailable: 1
    case .unreliable: 0.5
    }
  }
}
