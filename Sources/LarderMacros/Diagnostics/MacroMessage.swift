import SwiftDiagnostics
import SwiftSyntax

/// A macro's message about a mistake: a sentence with the remedy, at the token of the mistake.
struct MacroMessage: DiagnosticMessage, FixItMessage {
  let message: String
  let id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "Larder", id: id) }
  var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
  /// Returns an error at `node`, with fix-its for the remedy.
  static func error(_ id: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: node, message: MacroMessage(message: message, id: id), fixIts: fixIts)
  }

  /// Returns a warning at `node`, for code that works, but perhaps not as its author intends.
  static func warning(_ id: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) -> Diagnostic
  {
    Diagnostic(node: node, message: MacroMessage(message: message, id: id, severity: .warning), fixIts: fixIts)
  }
}

extension FixIt {
  /// Returns a fix-it that replaces `old` by `new`, and keeps surrounding space and comments.
  static func replace(_ message: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
    var replacement = Syntax(new)
    replacement.leadingTrivia = old.leadingTrivia
    replacement.trailingTrivia = old.trailingTrivia
    return FixIt(
      message: MacroMessage(message: message, id: "fix-it"),
      changes: [.replace(oldNode: Syntax(old), newNode: replacement)])
  }

  /// Returns a fix-it that replaces a keyword by another.
  static func keyword(_ message: String, _ old: TokenSyntax, _ new: Keyword) -> FixIt {
    replace(message, old, with: TokenSyntax.keyword(new))
  }
}
