import Foundation
import LarderSupport

/// What divides results into sections: which properties a title is read of, and how.
struct SectionDependencies {
  let mask: _PropertyMask
  private let related: [RelatedSource]
  private let root: _ModelLayout

  /// A property of the model, a member of one, or a property behind to-one relationships. Any other key path may read
  /// whatever the model has.
  init(_ keyPath: AnyKeyPath, _ layout: _ModelLayout) {
    root = layout
    if let property = layout.property(keyPath) {
      (mask, related) = (_ModelLayout.bit(property.index), [])
    } else if let path = RelatedKeyPath(keyPath, from: layout, isComputed: false) {
      (mask, related) = (path.path[0].bit, path.sources)
    } else {
      (mask, related) = (~0, [])
    }
  }

  func addRelatedModels(to dependencies: inout QueryDependencies) {
    if !related.isEmpty { dependencies.add(related, of: root) }
  }
}
