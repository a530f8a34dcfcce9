public import Foundation

/// An error of schemas, containers, contexts and fetches.
///
/// Two errors are equal if they have the same kind, whatever their explanations:
///
/// ```swift
/// do {
///   try context.save()
/// } catch SwiftDataError.modelValidationFailure {
///   …
/// }
/// ```
public struct SwiftDataError: Error, Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor
    case duplicateConfiguration, configurationFileNameTooLong, configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer
    case modelValidationFailure, missingModelContext, backwardMigration, unknownSchema
    case historyTokenExpired, invalidTransactionFetchRequest, unknownDataStoreSchema
  }

  package let kind: Kind
  /// A description of this case and of its remedy, or `nil` if the kind is sufficient.
  public let explanation: String?
  /// The error of a lower layer that caused this one.
  public let underlyingError: (any Error)?

  private init(_ kind: Kind, explanation: String? = nil, underlyingError: (any Error)? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.underlyingError = underlyingError
  }

  /// Returns the same error with a description of this case and of its remedy.
  package func explained(_ explanation: String, underlyingError: (any Error)? = nil) -> SwiftDataError {
    SwiftDataError(kind, explanation: explanation, underlyingError: underlyingError ?? self.underlyingError)
  }

  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.kind == right.kind }
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Returns whether an error is a `SwiftDataError` of this kind. `catch SwiftDataError.unsupportedPredicate` calls this operator.
  ///
  /// ``StoreError`` and ``SaveError`` contain more details. Each also matches the kind that Apple's framework throws for it.
  public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool {
    if let error = rhs as? SwiftDataError { return error == lhs }
    return (rhs as? any DetailedError)?.kind == lhs
  }
}

extension SwiftDataError {
  /// Never thrown by Larder, where a fetch in batches includes pending changes. For code that catches Apple's error.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// A predicate has a part that the store cannot evaluate.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path does not name a persisted property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// Pending changes cannot be sorted by identifier.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// A sort descriptor names an order that the store does not support.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// Two configurations of a container have the same name or the same file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The file name of a configuration is longer than file systems allow.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The file name of a configuration contains characters that a file name cannot have.
  public static let configurationFileNameContainsInvalidCharacters =
    SwiftDataError(.configurationFileNameContainsInvalidCharacters)
  /// A configuration has models that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema =
    SwiftDataError(.configurationSchemaNotFoundInContainerSchema)
  /// A store could not be opened.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A model does not satisfy its schema.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// The operation needs a model that is in a context.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// The store was written by a later version of the models than this program's.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The program does not know the store's schema, or the container does not have the requested model.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The history after a token is incomplete.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A history request is invalid for the container's stores.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// A data store has a schema that the container does not have.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
}

extension SwiftDataError: LocalizedError, CustomStringConvertible {
  /// A description of the error and of its remedy, with the underlying error.
  public var errorDescription: String? {
    (explanation ?? kind.defaultExplanation) + (underlyingError.map { " Cause: \($0.localizedDescription)" } ?? "")
  }

  /// The kind, a description of the error, and the underlying error.
  public var description: String {
    let cause = underlyingError.map { " Cause: \($0)" } ?? ""
    return "SwiftDataError.\(kind.rawValue): \(explanation ?? kind.defaultExplanation)\(cause)"
  }
}

extension SwiftDataError.Kind {
  /// The description and the remedy of a kind, for errors without an explanation of their own.
  fileprivate var defaultExplanation: String {
    switch self {
    case .includePendingChangesWithBatchSize:
      "A fetch in batches can't include pending changes. Save first, or set includePendingChanges to false."
    case .unsupportedPredicate:
      "The predicate has a part that can't be evaluated here. Fetch with a simpler predicate and filter the result."
    case .unsupportedKeyPath:
      "The key path isn't that of a persisted property. Use a stored property of the model."
    case .sortingPendingChangesWithIdentifiers:
      "Pending changes can't be sorted by identifier. Save first, or set includePendingChanges to false."
    case .unsupportedSortDescriptor:
      "The sort descriptor isn't one that the store can order by. Sort by a persisted property."
    case .duplicateConfiguration:
      "Two configurations have the same name or file. Give each its own."
    case .configurationFileNameTooLong:
      "The configuration's file name is too long. Choose a shorter name."
    case .configurationFileNameContainsInvalidCharacters:
      "The configuration's name can't be a file's name. Leave out \"/\" and control characters."
    case .configurationSchemaNotFoundInContainerSchema:
      "The configuration's schema has models that the container's schema lacks. Add them to the container's schema."
    case .loadIssueModelContainer:
      "The store couldn't be opened. Check that its folder exists and may be written, and that the file is a store."
    case .modelValidationFailure:
      "A model can't be saved as it is. Correct the property that breaks the schema's rules, then save again."
    case .missingModelContext:
      "The model isn't in a context. Insert it, or fetch it from a context that is still alive."
    case .backwardMigration:
      "The store was written by a later version of the models. Use a program as new as the one that wrote it."
    case .unknownSchema:
      "The store's schema isn't one that this program knows. Add its version to the migration plan."
    case .historyTokenExpired:
      "History that follows this token was deleted. Read the store as it is, and go on from its newest token."
    case .invalidTransactionFetchRequest:
      "The stores have no transactions of this type. Ask for DefaultHistoryTransaction."
    case .unknownDataStoreSchema:
      "The data store's schema isn't one that the container knows. Make both from the same models."
    }
  }
}

/// An error with more details than the ``SwiftDataError`` that Apple's framework throws instead.
package protocol DetailedError: Error {
  /// The error that Apple's framework throws, or `nil` if it has none.
  var kind: SwiftDataError? { get }
}
