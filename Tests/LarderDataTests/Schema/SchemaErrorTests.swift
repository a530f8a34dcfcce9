import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Suite("Errors of schemas and containers")
struct SchemaErrorTests {
  private func thrown(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing"
    } catch SwiftDataError.unsupportedPredicate {
      return "predicate"
    } catch SwiftDataError.unknownSchema {
      return "schema"
    } catch {
      return "other"
    }
  }

  @Test("Errors are matched by their kind, whatever they explain")
  func kinds() {
    let explained = SwiftDataError.unknownSchema.explained("The store is of version 9.")
    #expect(explained == .unknownSchema)
    #expect(explained.hashValue == SwiftDataError.unknownSchema.hashValue)
    #expect(explained != .unsupportedPredicate)
    #expect(thrown { throw explained } == "schema")
    #expect(thrown { throw SwiftDataError.unsupportedPredicate } == "predicate")
    #expect(thrown { throw SwiftDataError.missingModelContext } == "other")
    #expect(thrown { throw CancellationError() } == "other")
  }

  @Test("Every error says what happened and what to do")
  func sentences() {
    let explained = SwiftDataError.unknownSchema.explained("Why.", underlyingError: DataStoreError.invalidPredicate)
    #expect(explained.explanation == "Why.")
    #expect(explained.localizedDescription.hasPrefix("Why. Cause: "))
    #expect(explained.description.contains("unknownSchema: Why."))
    #expect(explained.description.contains("invalidPredicate"))
    #expect(SwiftDataError.unknownSchema.explanation == nil)
    let plain: [SwiftDataError] = [
      .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
      .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
      .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
      .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer, .modelValidationFailure,
      .missingModelContext, .backwardMigration, .unknownSchema, .historyTokenExpired,
      .invalidTransactionFetchRequest, .unknownDataStoreSchema,
    ]
    #expect(Set(plain).count == 17)
    #expect(Set(plain.map(\.localizedDescription)).count == 17)
    #expect(DataStoreError.unsupportedFeature.localizedDescription.contains("store"))
  }

  /// What a program shows to its users is no less than what its log has.
  @Test func localizedDescriptionsCarryTheAdvice() {
    let sqlite = SQLiteError(code: 5, message: "locked", context: "saving")
    let failure = UpsertFailure(index: 3, error: PredicateFailure.divisionByZero)
    let errors: [any Error] = [
      PredicateFailure.divisionByZero, sqlite, _UnstorableValue("it is NaN"),
      SwiftDataError.unknownSchema.explained("Why."),
    ]
    for error in errors {
      let told = "\(error)"
      #expect(told.hasSuffix(error.localizedDescription), "\(error.localizedDescription)")
    }
    #expect(failure.localizedDescription.contains("Record 3"))
    #expect(failure.localizedDescription.contains("Exclude zero before dividing."))
  }
}
