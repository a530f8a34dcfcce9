import SwiftDiagnostics
import SwiftSyntax

/// What a macro tells the user about a mistake: a sentence that says what to do, at the token that is wrong.
struct MacroMessage: DiagnosticMessage, FixItMessage {
  let message: String
  let id: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "Larder", id: id) }
  var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
  /// An error at `node`, with the remedy that `fixIts` offer.
  static func error(_ id: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: node, message: MacroMessage(message: message, id: id), fixIts: fixIts)
  }

  /// A warning at `node`: the code works, but perhaps not as its author thinks.
  static func warning(_ id: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) -> Diagnostic
  {
    Diagnostic(node: node, message: MacroMessage(message: message, id: id, severity: .warning), fixIts: fixIts)
  }
}

extension FixIt {
  /// Replaces `old` by `new`, keeping the space and the comments around it.
  static func replace(_ message: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
    var replacement = Syntax(new)
    replacement.leadingTrivia = old.leadingTrivia
    replacement.trailingTrivia = old.trailingTrivia
    return FixIt(
      message: MacroMessage(message: message, id: "fix-it"),
      changes: [.replace(oldNode: Syntax(old), newNode: replacement)])
  }

  /// Replaces a keyword by another.
  static func keyword(_ message: String, _ old: TokenSyntax, _ new: Keyword) -> FixIt {
    replace(message, old, with: TokenSyntax.keyword(new))
  }
}
