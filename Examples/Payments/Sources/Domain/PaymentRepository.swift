/// Where payments come from and go to, whatever is behind it.
protocol PaymentRepository: Sendable {
  func getPayments() async throws -> [Payment]
  func getPayment(id: String) async throws -> Payment
  /// - Throws: ``PaymentFailure``, where it is not made, or not yet.
  func createPayment(_ draft: PaymentDraft) async throws -> Payment
  func cancelPayment(id: String) async throws
  func syncPayments() async throws
}
