import Foundation
import LarderSupport

/// The properties that the title of a section reads, and the relationships to them.
struct SectionDependencies {
  let mask: _PropertyMask
  private let related: [RelatedSource]
  private let root: _ModelLayout

  /// Creates the dependencies of a property of the model, of a member of a property, or of a property behind to-one
  /// relationships. Any other key path may read all properties of the model.
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
