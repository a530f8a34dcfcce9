import Foundation

/// What one window shows beyond what all of them do: which trip is being edited in it.
struct PageView: Hashable, Sendable {
  /// The trip whose form is open.
  var editing: String?
  /// What stands in the form, if that is not what is kept.
  var draft: TripForm?
  /// What is wrong with the form, or with what was asked of the server.
  var problem: String?

  init(editing: String? = nil, draft: TripForm? = nil, problem: String? = nil) {
    self.editing = editing
    self.draft = draft
    self.problem = problem
  }

  /// Reads a query's parameters.
  init(_ parameters: [String: String]) {
    self.init(editing: parameters["edit"])
  }

  /// The address of the page that shows it.
  var address: String { editing.map(Self.address(editing:)) ?? "/" }

  /// The address of the page on which a trip is edited.
  static func address(editing id: String) -> String {
    // What an identifier may be is the server's to decide: nothing but letters and digits goes unescaped.
    "/?edit=" + (id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
  }
}
