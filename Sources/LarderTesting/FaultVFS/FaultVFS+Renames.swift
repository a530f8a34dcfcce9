internal import CFaultVFS
internal import LarderData

extension FaultVFS {
  /// Runs the body, and counts renames of files by the library itself as operations of the disk: unsynced content of a renamed
  /// file may be lost or torn under its new name, too.
  package func countingRenames<Result>(_ body: () throws -> Result) rethrows -> Result {
    let watch = DurableFileIO.Observer(
      willRename: { fault_vfs_rename(self.vfs, $0, $1) }, didSync: { fault_vfs_sync_folder(self.vfs, $0) })
    return try DurableFileIO.$observer.withValue(watch, operation: body)
  }
}
