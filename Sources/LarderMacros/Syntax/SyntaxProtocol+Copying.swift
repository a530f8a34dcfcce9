import SwiftSyntax

extension SyntaxProtocol {
  /// The node's text for use in generated code: verbatim, but without comments, which belong to the original alone.
  var copied: String { CommentStripper().rewrite(self).trimmedDescription }
}

private final class CommentStripper: SyntaxRewriter {
  override func visit(_ token: TokenSyntax) -> TokenSyntax {
    token
      .with(\.leadingTrivia, token.leadingTrivia.withoutComments)
      .with(\.trailingTrivia, token.trailingTrivia.withoutComments)
  }
}

extension TriviaPiece {
  fileprivate var isComment: Bool {
    switch self {
    case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
    default: false
    }
  }
}

extension Trivia {
  /// A comment separates tokens; where nothing else beside it does, a space stands in for it.
  fileprivate var withoutComments: Trivia {
    guard contains(where: \.isComment) else { return self }
    let rest = pieces.filter { !$0.isComment }
    return Trivia(pieces: rest.isEmpty ? [.spaces(1)] : rest)
  }
}

extension TokenSyntax {
  /// The name without backticks: what a column is called.
  var bareName: String { text.bareIdentifier }
}

extension String {
  var bareIdentifier: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }

  /// A Swift literal of this name; only raw identifiers can hold what needs care.
  var stringLiteral: String {
    // By scalars: a quote and a combining mark are one character.
    let escaped = unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined()
    return "\"" + escaped + "\""
  }

  /// This name as code can spell it: in backticks where it is a raw identifier.
  var asIdentifier: String {
    let plain = unicodeScalars.allSatisfy {
      $0 == "_" || !$0.isASCII || $0.properties.isAlphabetic || ("0"..."9") ~= $0
    }
    return plain ? self : "`\(self)`"
  }
}
