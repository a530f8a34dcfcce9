import Foundation

/// Reads from the store at once and syncs behind it; writes go to the bank first, and what failed is not shown as paid.
final class PaymentRepositoryImpl: PaymentRepository {
  static let listLength = 100

  private let networkManager: any NetworkManagerProtocol
  private let paymentDAO: any PaymentDAOProtocol
  private let desk: PaymentDesk
  private let sender: PaymentSender

  init(
    networkManager: any NetworkManagerProtocol, paymentDAO: any PaymentDAOProtocol, desk: PaymentDesk,
    sender: PaymentSender
  ) {
    self.networkManager = networkManager
    self.paymentDAO = paymentDAO
    self.desk = desk
    self.sender = sender
  }

  func getPayments() async throws -> [Payment] {
    let cachedPayments = try await paymentDAO.getAll()
    Task { try? await syncPayments() }
    return cachedPayments
  }

  func getPayment(id: String) async throws -> Payment {
    if let cachedPayment = try await paymentDAO.getById(id) { return cachedPayment }
    let dto: PaymentDTO = try await networkManager.request(PaymentEndpoint.getPayment(id: id))
    let payment = try dto.toDomain()
    try await paymentDAO.save(payment)
    return payment
  }

  func createPayment(_ draft: PaymentDraft) async throws -> Payment {
    // The key and the bytes are in the store before the first of them is sent.
    let order = try await desk.accept(draft)
    switch order.state {
    case .waiting: return try await sender.send(order.name)
    case .sent: return try await sender.resolve(order)
    case .rejected: throw PaymentFailure.rejected(order.reason ?? "")
    case .made:
      guard let payment = try await paymentDAO.getAll().first(where: { $0.reference == order.key }) else {
        throw PaymentFailure.unknown
      }
      return payment
    }
  }

  func cancelPayment(id: String) async throws {
    let dto: PaymentDTO = try await networkManager.request(PaymentEndpoint.cancelPayment(id: id))
    try await paymentDAO.save(try dto.toDomain())
  }

  func syncPayments() async throws {
    let response: [PaymentDTO] = try await networkManager.request(
      PaymentEndpoint.getPayments(limit: Self.listLength))
    // While the bank answers: whoever pays next need not ask first whose bank it is.
    _ = try? await sender.party()
    // One that cannot be read keeps none of the others away.
    let read = response.map { dto in Result { () throws(MappingError) in try dto.toDomain() } }
    try await paymentDAO.saveAll(read.compactMap { try? $0.get() })
    for payment in read { _ = try payment.get() }
  }
}
