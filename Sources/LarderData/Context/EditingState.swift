public import Foundation

/// Tells one context's work from another's, and says who does it.
public struct EditingState: Identifiable, Sendable {
  public typealias ID = UUID

  /// The context's own, for as long as it lives.
  public let id: UUID
  /// Who makes the changes; see ``ModelContext/author``.
  public var author: String?

  init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}

extension ModelContext {
  /// The context's identity and its present author, which can be set here as well.
  ///
  /// ```swift
  /// context.editingState.author = "importer"
  /// ```
  public var editingState: EditingState {
    get { EditingState(id: core.editingStateID, author: core.author) }
    // The identity is the context's own for as long as it lives.
    set { core.author = newValue.author }
  }
}
