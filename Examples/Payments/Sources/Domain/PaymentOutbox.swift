import Foundation

/// Keeps what somebody wants to pay until the bank has booked or refused it.
protocol PaymentOutbox: Sendable {
  /// Takes an order. From here on it is on its way, whatever becomes of the program.
  func take(_ draft: PaymentDraft) async throws -> PaymentTaking
  /// Has what waits to be sent looked at now, and not at its time.
  ///
  /// - Parameter wait: What is to wait longer than this stays: the bank has asked for it.
  func hurry(within wait: TimeInterval) async throws
  /// Shows an order no more that the bank has refused. One that it has not refused stays.
  func putAway(_ name: String) async throws
}

/// What became of an order that was given.
enum PaymentTaking: Sendable, Hashable {
  /// It is kept. Given for a second time, it is still the one.
  case kept
  /// Its name is that of an order with something else in it. Nothing more is paid by it.
  case nameIsTaken
}
