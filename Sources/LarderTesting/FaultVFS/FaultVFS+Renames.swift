internal import CFaultVFS
internal import LarderData

extension FaultVFS {
  /// Runs the body, and counts the files that the library itself has take others' names among the disk's operations: what
  /// was not synced of a file before may be lost or torn under its new name, too.
  package func countingRenames<Result>(_ body: () throws -> Result) rethrows -> Result {
    let watch = DurableFileIO.Observer(
      willRename: { fault_vfs_rename(self.vfs, $0, $1) }, didSync: { fault_vfs_sync_folder(self.vfs, $0) })
    return try DurableFileIO.$observer.withValue(watch, operation: body)
  }
}
