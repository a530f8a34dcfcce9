import Foundation
import Observation

/// What the page shows of the bank that comes with the program, and of the line to it.
@MainActor
@Observable
final class DemoViewModel {
  private(set) var isCut: Bool
  private(set) var conduct: BankConduct
  /// The code of the letter that the bank has sent when it ended the session last.
  private(set) var letter: String?

  @ObservationIgnored private let controls: any DemoControls

  init(_ controls: any DemoControls) {
    self.controls = controls
    isCut = controls.isCut
    conduct = controls.conduct
  }

  /// - Returns: Why it could not be done, in words.
  func setLine(cut: Bool) -> String? {
    defer { isCut = controls.isCut }
    if cut {
      controls.cut()
      return nil
    }
    do {
      try controls.mend()
      return nil
    } catch {
      return "The line could not be mended: another program has its port. Start this one again."
    }
  }

  /// Has the bank end the session, and send another code.
  ///
  /// - Returns: Why it could not be done, in words.
  func endSession() async -> String? {
    do {
      letter = try await controls.endSession()
      return nil
    } catch {
      return "The bank is gone. Start the program again: its books are kept."
    }
  }

  /// Somebody has signed in: the letter has served its purpose.
  func forgetLetter() { letter = nil }

  /// - Returns: Why it could not be done, in words.
  func behave(_ conduct: BankConduct) async -> String? {
    defer { self.conduct = controls.conduct }
    do {
      try await controls.behave(conduct)
      return nil
    } catch {
      return "The bank is gone. Start the program again: its books are kept."
    }
  }
}
