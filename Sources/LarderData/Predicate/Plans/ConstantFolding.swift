import LarderSupport

/// Evaluates the parts of a predicate that do not depend on the object once, in Swift. Their values are bound like captured
/// values.
///
/// If such a part fails, for example by dividing by zero, Swift would fail only on reaching it. Then another plan of the
/// same predicate is used, in which the part is not folded: see ``PredicatePlan/fits(_:comparingKeyPaths:)``.
final class ConstantFolding {
  private(set) var sources: [ParameterSource]
  /// The folded parts, by their indexes in ``sources``: computing one may fail.
  private(set) var fallibleParameters: [Int] = []
  private let originals: [ParameterSource]
  private let locals: Int

  init(_ sources: [ParameterSource], locals: Int) {
    self.sources = sources
    originals = sources
    self.locals = locals
  }

  /// Returns the term with parameters in place of constant parts.
  func folded(_ term: Term) -> Term {
    if ConstantFolding.isConstant(term) { return foldedParameter(term) }
    // A term without children has no part to fold.
    if term.children.isEmpty { return term }
    return term.mapped { folded($0) }
  }

  /// Removes the sources of unused parameters, so that they are not loaded.
  func removeUnused(keeping used: Set<Int>) {
    for place in sources.indices where !used.contains(place) { sources[place] = .none }
  }

  private static func isConstant(_ term: Term) -> Bool {
    guard !term.analysis.dependsOnObject, term.analysis.locals.isEmpty, term.kind != .structure else { return false }
    switch term.operation {
    case .parameter, .null, .constant, .emptyText: return false
    default: return true
    }
  }

  private func foldedParameter(_ term: Term) -> Term {
    let used = term.parameters.inOrder()
    let places = Dictionary(uniqueKeysWithValues: zip(used, used.indices))
    let own = used.map { originals[$0] }
    let (part, locals) = (term.renumbered(places), locals)
    sources.append(
      ParameterSource { memory in
        let values = try own.map { try $0.load(memory) }
        let workspace = locals > 0 ? EvaluationScratch(locals: locals) : nil
        let evaluator = Evaluator(
          value: { _ in throw PredicateFailure.unexpectedValue }, parameters: values, scratch: workspace)
        let value = try evaluator.withStackSpace(for: part) { try $0.evaluate(part) }
        // A NaN, which no column holds.
        if value == .null, !part.isOptional { throw PredicateFailure.unexpectedValue }
        return value
      })
    fallibleParameters.append(sources.count - 1)
    return Term(.parameter(sources.count - 1), term.kind, isOptional: term.isOptional)
  }
}

extension Term {
  /// The indexes of the parameters that the term reads.
  var parameters: Set<Int> {
    switch operation {
    case .parameter(let place): return [place]
    case .captured(let captured): return [captured.parameter]
    case .isMember(let term, let list): return term.parameters.union([list])
    default:
      var result: Set<Int> = []
      for child in children { result.formUnion(child.parameters) }
      return result
    }
  }

  /// Returns the same term with other parameter indexes.
  fileprivate func renumbered(_ places: [Int: Int]) -> Term {
    switch operation {
    case .parameter(let place): return Term(.parameter(places[place] ?? place), kind, isOptional: isOptional)
    case .captured(let captured):
      return Term(
        .captured(captured.moved(to: places[captured.parameter] ?? captured.parameter)), kind, isOptional: isOptional)
    case .isMember(let term, let list):
      return Term(.isMember(term.renumbered(places), list: places[list] ?? list), kind, isOptional: isOptional)
    default: return mapped { $0.renumbered(places) }
    }
  }
}
