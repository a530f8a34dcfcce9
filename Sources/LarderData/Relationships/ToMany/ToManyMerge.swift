import LarderSupport

/// The merge of a to-many that two sides have changed: the local change is a difference to the shown members, applied to the
/// present ones.
///
/// Members that either side added are in the result, and members that either side removed are not. If the local side moved
/// any common member, the common members have the local order, else the order that other contexts left. An added member
/// follows the member after which it was added, or is at the end.
struct ToManyMerge {
  /// The members to which the list is set.
  let local: [any PersistentModel]
  /// The members that were shown before.
  let base: [Int64]
  /// The present members.
  let current: [any PersistentModel]
  /// Whether members that other contexts added at the end follow the local additions.
  let endsWithRemoteAdditions: Bool

  func merged() -> [any PersistentModel] {
    let (newRows, nowRows) = (local.rowIDs, current.rowIDs)
    if base == nowRows { return local }
    if base == newRows { return current }
    let (known, wanted, present) = (Set(base), Set(newRows), Set(nowRows))
    // Without members that other contexts have removed.
    let own = local.filter { model in
      let row = model._$header.pointee.rowID
      return present.contains(row) || !known.contains(row)
    }
    // Members that other contexts have removed are not kept, wherever they were moved here.
    let isKept = { (row: Int64) in known.contains(row) && wanted.contains(row) && present.contains(row) }
    if base.filter(isKept) != newRows.filter(isKept) {
      return own
        + current.filter { model in
          let row = model._$header.pointee.rowID
          return !known.contains(row) && !wanted.contains(row)
        }
    }
    // The members that other contexts have left, in their present order.
    let frame = current.filter { model in
      let row = model._$header.pointee.rowID
      return wanted.contains(row) || !known.contains(row)
    }
    return interleaved(own, with: frame, wanted)
  }

  /// - Parameter own: The assigned members, without those that other contexts have removed.
  private func interleaved(
    _ own: [any PersistentModel], with frame: [any PersistentModel], _ wanted: Set<Int64>
  ) -> [any PersistentModel] {
    let there = Set(frame.rowIDs)
    var leading: [any PersistentModel] = []
    var following: [Int64: [any PersistentModel]] = [:]
    var last: Int64?
    let tail = own.lastIndex { there.contains($0._$header.pointee.rowID) }.map { $0 + 1 } ?? 0
    for model in own[..<tail] {
      let row = model._$header.pointee.rowID
      if there.contains(row) {
        last = row
      } else if let last {
        following[last, default: []].append(model)
      } else {
        leading.append(model)
      }
    }
    let others = frame.reversed().prefix { !wanted.contains($0._$header.pointee.rowID) }.count
    let end = endsWithRemoteAdditions ? frame.count - others : frame.count
    var result = leading
    result.reserveCapacity(frame.count + own.count)
    for model in frame[..<end] {
      result.append(model)
      if let added = following[model._$header.pointee.rowID] { result += added }
    }
    return result + own[tail...] + frame[end...]
  }
}
