// `import SwiftData` is this package: everything that Apple's module of that name offers and re-exports, and Foundation,
// so that code compiles that has it from elsewhere there.
@_exported public import Foundation
@_exported public import LarderData
@_exported public import LarderModels
@_exported public import Observation

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
