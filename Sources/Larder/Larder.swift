// `import Larder` is everything that exists so far: what `import SwiftData` brings, and what goes beyond it.
@_exported public import Foundation
@_exported public import LarderData
@_exported public import LarderHTTP
@_exported public import LarderIngest
@_exported public import LarderModels
@_exported public import LarderRecords
@_exported public import Observation

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
