import LarderData
import Testing

extension Trait where Self == ConditionTrait {
  /// Left out where SQLite stores are used by the requests of a `DataStore` (`LARDER_STORES=protocols`).
  static func directly(_ reason: Comment) -> Self { .disabled(if: StoreOptions().usesDataStores, reason) }
}
