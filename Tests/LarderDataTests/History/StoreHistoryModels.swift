import Foundation
import LarderData
import SwiftData

/// A model of which much outlasts its deletion.
@Model
final class Consignment {
  @Attribute(.unique, .preserveValueOnDeletion) var code: String
  @Attribute(.preserveValueOnDeletion) var weight: Double
  @Attribute(.preserveValueOnDeletion) var count: Int
  @Attribute(.preserveValueOnDeletion) var note: String?
  @Attribute(.preserveValueOnDeletion) var place: Site
  @Attribute(.preserveValueOnDeletion) var marks: [String]
  @Attribute(.preserveValueOnDeletion) var sent: Date?
  @Attribute(.preserveValueOnDeletion) var seal: Data
  @Attribute(.externalStorage, .preserveValueOnDeletion) var scan: Data?
  var other: String

  init(
    _ code: String, weight: Double = 0, count: Int = 0, note: String? = nil, place: Site = Site(name: "", x: 0, y: 0),
    marks: [String] = [], sent: Date? = nil, seal: Data = Data(), scan: Data? = nil, other: String = ""
  ) {
    self.code = code
    self.weight = weight
    self.count = count
    self.note = note
    self.place = place
    self.marks = marks
    self.sent = sent
    self.seal = seal
    self.scan = scan
    self.other = other
  }
}

typealias Transaction = DefaultHistoryTransaction

extension ModelContext {
  func history(
    _ predicate: Predicate<Transaction>? = nil, limit: UInt64 = 0, sortBy: [SortDescriptor<Transaction>] = []
  ) throws -> [Transaction] {
    var descriptor = HistoryDescriptor<Transaction>(predicate: predicate, sortBy: sortBy)
    descriptor.fetchLimit = limit
    return try fetchHistory(descriptor)
  }

  func saveAs(_ author: String?) throws {
    self.author = author
    try save()
  }
}

extension HistoryChange {
  var isInsert: Bool { if case .insert = self { true } else { false } }
  var isDelete: Bool { if case .delete = self { true } else { false } }

  /// A word for the kind, the entity and the properties that were changed.
  var summary: String {
    switch self {
    case .insert(let change): "insert \(change.changedPersistentIdentifier.entityName)"
    case .delete(let change): "delete \(change.changedPersistentIdentifier.entityName)"
    case .update(let change):
      "update \(change.changedPersistentIdentifier.entityName) \(updatedPropertyNames.joined(separator: " "))"
    }
  }
}
