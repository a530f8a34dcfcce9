import Foundation
import LarderData
import SwiftData
import TestSeeds

enum CoupleStep {
  case insert(Int, CoupleName)
  case insertBoth(Int, CoupleName, CoupleName)
  /// A new one, with a partner that is there.
  case insertWith(Int, CoupleName, CoupleName)
  case relate(Int, CoupleName, CoupleName?)
  case read(Int, CoupleName)
  case delete(Int, CoupleName)
  case letGo(Int)
  case save(Int)
  case rollback(Int)
}

struct CoupleGenerator {
  private let setting: CoupleSetting
  private var random: SeededGenerator

  init(_ setting: CoupleSetting) {
    self.setting = setting
    random = SeededGenerator(seed: setting.seed)
  }

  private mutating func name(_ end: Int) -> CoupleName {
    let classes = setting.couple.classes(end).count
    return CoupleName(
      end: end, place: Int.random(in: 0..<classes, using: &random), number: Int.random(in: 0..<3, using: &random))
  }

  mutating func step() -> CoupleStep {
    let context = Int.random(in: 0..<setting.contexts, using: &random)
    let end = Int.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: return .insert(context, name(end))
    case 10..<30: return .insertBoth(context, name(end), name(1 - end))
    case 30..<45: return .insertWith(context, name(end), name(1 - end))
    case 45..<58: return .relate(context, name(end), random.chance(20) ? nil : name(1 - end))
    case 58..<64: return .read(context, name(end))
    case 64..<68: return .delete(context, name(end))
    case 68..<71: return .letGo(context)
    case 71..<73: return .rollback(context)
    default: return .save(context)
    }
  }
}
