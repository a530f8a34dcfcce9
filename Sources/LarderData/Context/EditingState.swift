public import Foundation

/// The identity of a context's edits, and their author.
public struct EditingState: Identifiable, Sendable {
  public typealias ID = UUID

  /// The identity of the context, constant for its lifetime.
  public let id: UUID
  /// The author of the changes; see ``ModelContext/author``.
  public var author: String?

  init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}

extension ModelContext {
  /// The context's identity and its current author, which can be set here as well.
  ///
  /// ```swift
  /// context.editingState.author = "importer"
  /// ```
  public var editingState: EditingState {
    get { EditingState(id: core.editingStateID, author: core.author) }
    // The identity of a context is constant for its lifetime.
    set { core.author = newValue.author }
  }
}
