import Foundation
import LarderData
import SwiftData
import Testing

/// Chains and trees of many thousands of objects are let go of: each ends, on a stack that has room for some hundred ends
/// within one another.
@Suite struct DeepGraphTests {
  enum Shape: String, CaseIterable, Sendable {
    case chain, requiredChain, inheritedChain, tree, wideTree, optionalTree, mixed
  }

  enum Way: String, CaseIterable, Sendable {
    case insertedAndContextGone, savedAndContextGone, rolledBack, deletedUnsaved, deletedAndSaved
    /// Fetched by another context, walked through, and let go of with it.
    case walked
  }

  /// - Returns: The first object of a graph of so many that say that they end.
  private static func make(_ shape: Shape, _ count: Int, _ ends: EndCount?) -> any PersistentModel {
    switch shape {
    case .chain: return chain(count) { (below: Link?) in Link(below, ends) }
    case .requiredChain: return chain(count) { (below: Coach?) in Coach(below.map(Coupling.init), ends) }
    case .inheritedChain: return chain(count) { (below: Wagon?) in Wagon(below, ends) }
    case .tree, .optionalTree, .wideTree, .mixed:
      var number = 0
      return chain(count) { (below: Twig?) in
        let twig = Twig(ends)
        guard let below else { return twig }
        number += 1
        switch shape {
        case .tree: twig.twigs = [below]
        case .optionalTree: twig.others = [below]
        case .wideTree: twig.twigs = [Twig(nil), below, Twig(nil)]
        default: if number.isMultiple(of: 2) { twig.next = below } else { twig.twigs = [below] }
        }
        return twig
      }
    }
  }

  private static func chain<Object>(_ count: Int, _ make: (Object?) -> Object) -> Object {
    var first = make(nil)
    for _ in 1..<count { first = make(first) }
    return first
  }

  @Test(arguments: Shape.allCases)
  func unsavedGraphEnds(_ shape: Shape) throws {
    let (count, ends) = (100_000, EndCount())
    try onSmallStack { _ = Self.make(shape, count, ends) }
    #expect(ends.count == count)
  }

  /// The objects of other graphs, and those that others hold, stay.
  @Test func whatIsHeldElsewhereStays() throws {
    let ends = EndCount()
    let left = try onSmallStack {
      var first: Link? = Self.chain(10_000) { (below: Link?) in Link(below, ends) }
      var held = first
      for _ in 0..<5_000 { held = held?.next }
      first = nil
      let ended = ends.count
      var left = 0
      while let next = held {
        left += 1
        held = next.next
      }
      return [ended, left]
    }
    #expect(left == [5_000, 5_000])
    #expect(ends.count == 10_000)
  }

  /// A `deinit` may make another graph, and let go of it.
  @Test func endsWithinEnds() throws {
    let ends = EndCount()
    try onSmallStack {
      _ = Self.chain(300) { (below: Maker?) in Maker(below) { _ = Self.make(.chain, 1_000, ends) } }
    }
    #expect(ends.count == 300_000)
  }

  @Test(arguments: [Shape.chain, .inheritedChain, .tree, .mixed], Way.allCases)
  func graphOfAContextEnds(_ shape: Shape, _ way: Way) throws {
    let (count, ends) = (2_000, EndCount())
    try onSmallStack {
      let container = try deepContainer()
      func open<Model: PersistentModel>(_ first: Model) throws {
        let context = ModelContext(container)
        context.insert(first)
        switch way {
        case .insertedAndContextGone: break
        case .rolledBack: context.rollback()
        case .deletedUnsaved: context.delete(first)
        case .savedAndContextGone, .walked: try context.save()
        case .deletedAndSaved:
          try context.save()
          context.delete(first)
          try context.save()
        }
      }
      try open(Self.make(shape, count, way == .walked ? nil : ends))
      guard way == .walked else { return }
      try Self.walk(shape, container, ends)
    }
    #expect(ends.count == count, "\(shape), \(way)")
  }

  /// A deletion goes down a tree that was never saved without going through all of it for each level.
  @Test func deletionOfADeepTreeIsLinear() throws {
    func asked(_ count: Int) throws -> Int {
      let context = ModelContext(try deepContainer())
      guard let first = Self.make(.tree, count, nil) as? Twig else { return 0 }
      context.insert(first)
      context.delete(first)
      #expect(!context.hasChanges)
      return context.core.relationships.examinedObjectCount
    }
    let (few, many) = (try asked(200), try asked(800))
    #expect(many <= 5 * few, "\(few) objects asked about for 200 levels, \(many) for 800")
  }

  private static func walk(_ shape: Shape, _ container: ModelContainer, _ ends: EndCount) throws {
    let context = ModelContext(container)
    func walk<Model: PersistentModel>(_ type: Model.Type, _ step: (Model) -> Model?) throws {
      let all = try context.fetch(FetchDescriptor<Model>())
      let below = Set(all.compactMap { step($0)?.persistentModelID })
      var next = all.first { !below.contains($0.persistentModelID) }
      while let model = next {
        switch model {
        case let model as Link: model.ends = ends
        case let model as Carriage: model.ends = ends
        case let model as Twig: model.ends = ends
        default: break
        }
        next = step(model)
      }
    }
    switch shape {
    case .chain: try walk(Link.self, \.next)
    case .inheritedChain: try walk(Wagon.self, \.following)
    default: try walk(Twig.self) { $0.twigs.first ?? $0.next }
    }
  }
}

@Model
final class Maker {
  var below: Maker?
  @Transient var work: (() -> Void)?
  init(_ below: Maker?, _ work: @escaping () -> Void) {
    self.below = below
    self.work = work
  }
  deinit { work?() }
}
