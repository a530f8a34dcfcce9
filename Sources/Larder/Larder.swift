// `import Larder` is everything that exists so far: the SwiftData vocabulary and what goes beyond it.
@_exported public import LarderData
@_exported public import LarderHTTP
@_exported public import LarderIngest
@_exported public import LarderModels
@_exported public import LarderRecords
