import Foundation
import SwiftData

extension PaymentStack {
  /// When the bank last said something of a payment; nil where it never has.
  @MainActor
  var lastSync: Date? {
    get throws {
      var latest = FetchDescriptor<PaymentEntity>(sortBy: [SortDescriptor(\.syncedAt, order: .reverse)])
      latest.fetchLimit = 1
      return try viewContext.fetch(latest).first?.syncedAt
    }
  }
}
