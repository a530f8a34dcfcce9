import Foundation
import LarderHTTP
import LarderSecrets

/// The customer of a bank.
struct BankCustomer: CustomerSession {
  let session: BankSession
  let authentication: BearerAuthentication

  func needsSignIn() -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let following = Task {
      for await state in authentication.states { continuation.yield(state == .needsSignIn) }
      continuation.finish()
    }
    continuation.onTermination = { _ in following.cancel() }
    return stream
  }

  func signIn(by secret: Secret) async throws(SignInFailure) {
    do {
      let grant = try await session.grant(for: secret)
      // Whoever waits is served by this token, without asking for another; and no refresh of before stores its own after.
      try await authentication.signIn(with: grant.token, asSameUser: true) { try await session.keep(grant) }
    } catch let failure as SignInFailure {
      throw failure
    } catch is SecretError {
      throw .notKept
    } catch {
      throw .noBank
    }
  }
}
