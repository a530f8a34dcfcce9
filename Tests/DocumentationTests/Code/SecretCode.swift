import Foundation
import LarderSecrets

// snippet: openSecrets
func openSecrets() throws(SecretError) -> EncryptedFileSecretStore {
  try ProcessHardening.disableCoreDumps()
  return EncryptedFileSecretStore(
    file: URL(filePath: "/var/lib/app/secrets"), key: try .credential("larder-key"))
}
// snippet end

// snippet: refreshToken
func refreshToken(in store: some SecretStore) async -> Secret? {
  do {
    return try await store.secret(for: SecretName(service: "api.example", account: "refresh-token"))
  } catch .wrongKey(let file) {
    print("Is that the key of \(file)?")
  } catch .locked, .unavailable {
    print("Unlock the keyring, then try again.")
  } catch {
    print(error)
  }
  return nil
}
// snippet end
