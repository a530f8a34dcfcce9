import SwiftSyntax

extension SyntaxProtocol {
  /// The node's text for use in generated code: verbatim, but without comments, which belong to the original only.
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
  /// The trivia without comments. A comment separates tokens; if no other trivia does, a space replaces it.
  fileprivate var withoutComments: Trivia {
    guard contains(where: \.isComment) else { return self }
    let rest = pieces.filter { !$0.isComment }
    return Trivia(pieces: rest.isEmpty ? [.spaces(1)] : rest)
  }
}

extension TokenSyntax {
  /// The name without backticks: the name of a column.
  var bareName: String { text.bareIdentifier }
}

extension String {
  var bareIdentifier: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }

  /// A Swift literal with this text; only raw identifiers can contain characters that need escapes.
  var stringLiteral: String {
    // By scalars: a quote and a combining mark are one character.
    let escaped = unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined()
    return "\"" + escaped + "\""
  }

  /// This name as an identifier: in backticks if it is a raw identifier.
  var asIdentifier: String {
    let plain = unicodeScalars.allSatisfy {
      $0 == "_" || !$0.isASCII || $0.properties.isAlphabetic || ("0"..."9") ~= $0
    }
    return plain ? self : "`\(self)`"
  }
}
