import LarderSupport

/// A to-many that two sides have changed: what was changed here is a difference against what was shown, applied to what there is
/// by now.
///
/// Members that were added on either side are in it, and members that were taken out on either side are not. Those that both
/// sides know stand as they were put here, where any of them was moved, else as others have left them. What was added stands
/// behind the member that it was put behind, or at the end.
struct ToManyMerge {
  /// What the list is set to.
  let local: [any PersistentModel]
  /// What was shown before.
  let base: [Int64]
  /// What there is by now.
  let current: [any PersistentModel]
  /// Whether what others added at the end comes after what was added here.
  let endsWithRemoteAdditions: Bool

  func merged() -> [any PersistentModel] {
    let (newRows, nowRows) = (local.rowIDs, current.rowIDs)
    if base == nowRows { return local }
    if base == newRows { return current }
    let (known, wanted, present) = (Set(base), Set(newRows), Set(nowRows))
    // Without what others have taken out.
    let own = local.filter { model in
      let row = model._$header.pointee.rowID
      return present.contains(row) || !known.contains(row)
    }
    // What others have taken out stands nowhere, wherever it was put here.
    let isKept = { (row: Int64) in known.contains(row) && wanted.contains(row) && present.contains(row) }
    if base.filter(isKept) != newRows.filter(isKept) {
      return own
        + current.filter { model in
          let row = model._$header.pointee.rowID
          return !known.contains(row) && !wanted.contains(row)
        }
    }
    // What others have left, as it stands by now.
    let frame = current.filter { model in
      let row = model._$header.pointee.rowID
      return wanted.contains(row) || !known.contains(row)
    }
    return interleaved(own, with: frame, wanted)
  }

  /// - Parameter own: What the list is set to and others have not taken out.
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
