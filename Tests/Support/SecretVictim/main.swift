// A process that keeps secrets and is killed, crashes, or may not do what it tries: SecretVictim COMMAND ARGUMENT…
//
// What it has found it prints, a line each, and the test judges it.
import CDurability
import Foundation
import LarderSecrets

/// Longer than any test; whoever is left over ends by itself.
let longestLife: UInt32 = 900
larder_limit_lifetime(longestLife)

let arguments = CommandLine.arguments
func argument(_ index: Int) -> String { arguments.indices.contains(index) ? arguments[index] : "" }
func store(_ path: String) throws(SecretError) -> EncryptedFileSecretStore {
  EncryptedFileSecretStore(file: URL(filePath: path), key: try SecretKey(bytes: 0..<32))
}

switch argument(1) {
case "save": try await saveForEver(store(argument(2)), page: argument(3))
case "add": try await add(to: store(argument(2)), prefix: argument(3), count: Int(argument(4)) ?? 0)
case "open":
  umask(0)
  try await add(to: store(argument(2)), prefix: argument(3), count: Int(argument(4)) ?? 0)
case "crash": try crash(in: argument(2), isHardened: argument(3) == "hardened")
case "wipe": try lookForWhatWasWiped()
case "nobody": try await readAsNobody(argument(2))
case "full":
  // Here, on the first thread, while there is no other: a thread sees the disks of that which began it.
  if larder_mount_small_disk(argument(2), 256 << 10) != 0 { print("no disk") }
  try await fillDisk(argument(2))
  larder_unmount_small_disk(argument(2))
#if os(Linux)
  case "unflushed": try await writeUnflushed(argument(2))
  case "service" where argument(2) == "system": await chooseStore(argument(3))
  case "service": try await useService(argument(2), keyring: Int32(argument(3)) ?? 0)
#endif
default: print("no such command")
}
