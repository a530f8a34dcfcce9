// Work that is repeated by a seed needs the seed's type.
@_exported public import TestSeeds
