import Foundation

extension PaymentSender {
  /// The times between things.
  struct Patience: Sendable {
    /// How long an order is good.
    var order: TimeInterval = 10
    /// How much later than the deadline the bank is asked. Its clock may be behind by more: it says what it shows.
    var clocks: TimeInterval = 1
    /// Before something is tried again that the bank has surely not done.
    var again: TimeInterval = 1

    /// When something is to be looked at that was noted for a time. Nothing waits for longer than the longest that there
    /// is to wait: the clock was ahead when it was noted, and was set back since.
    func time(_ noted: Date, of state: OutgoingState, now: Date) -> Date {
      // A bank asks to wait before it takes an order, not once it may have taken it.
      let longest = max(order + clocks, again, state == .sent ? PaymentSender.farPause : PaymentSender.longestWait)
      return noted > now.addingTimeInterval(longest) ? now : noted
    }
  }

  /// The longest that is waited because the bank asks for it, in seconds.
  static let longestWait = 3_600.0
  /// A minute: between two questions for an order whose deadline is far off, or of which the bank says nothing that can be
  /// read. The longest that one waits which may have been booked.
  static let farPause = 60.0
  /// Five minutes: the longest between two attempts while the clocks disagree, which somebody has to mend.
  static let longestBackOff = 300.0

  /// Twice as long after each attempt.
  func backOff(_ attempts: Int, longest: TimeInterval = Self.longestBackOff) -> Date {
    let wait = patience.again * Double(1 << min(max(0, attempts - 1), 20))
    return Date.now.addingTimeInterval(min(wait, longest))
  }

  var later: Date { Date.now.addingTimeInterval(patience.again) }

  /// As long as the bank asks to wait, but no longer than an hour, and not at once: its "now" may be long ago by this clock.
  func asked(_ until: Date?, otherwise: Date) -> Date {
    min(max(until ?? otherwise, later), Date.now.addingTimeInterval(Self.longestWait))
  }
}
