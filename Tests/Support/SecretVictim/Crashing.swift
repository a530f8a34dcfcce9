import CDurability
import Foundation
import LarderSecrets

/// Crashes in a folder into which the kernel may write a core as large as it likes.
func crash(in folder: String, isHardened: Bool) throws {
  guard chdir(folder) == 0 else { return print("no folder") }
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(4), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(4), &limit)
  if isHardened { try ProcessHardening.disableCoreDumps() }
  getrlimit(__rlimit_resource_t(4), &limit)
  print("dumpable \(larder_is_dumpable()), limits \(limit.rlim_cur) \(limit.rlim_max)")
  fflush(nil)
  // Not by abort(), which this runtime answers with a backtrace of its own.
  signal(SIGSEGV, SIG_DFL)
  kill(getpid(), SIGSEGV)
}
