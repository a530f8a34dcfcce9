import DurabilityWork
import Foundation
import LarderSecrets
import Testing

#if os(Linux)
  /// The desktop's keyring, a real one in a session of its own. Needs dbus and gnome-keyring: `make setup WHAT=test`.
  @Suite(.timeLimit(.minutes(3))) struct SecretServiceTests {
    private let folder: WorkFolder

    init() throws { folder = try WorkFolder() }

    @Test func secretsOutliveTheSession() throws {
      let session = Session(folder: folder)
      var printed = try session.run("victim service life $KEYRING; victim service read $KEYRING")
      #expect(
        printed == [
          "available true", "none true", "names [\"käse & \\\"wein\\\"\", \"token\"]", "many 20", "removed true",
          "read last",
        ])
      #expect(try session.run("victim service read $KEYRING") == ["read last"])
      let locked = Session(folder: folder, password: nil)
      printed = try locked.run("victim service locked $KEYRING")
      #expect(
        printed == [
          "read: The keyring is locked", "write: The keyring is locked", "remove: The keyring is locked",
          "names: The keyring is locked",
          "ask: The user did not unlock the keyring",
        ])
      #expect(try session.run("victim service read $KEYRING") == ["read last"])
    }

    @Test func noKeyringAndNoBus() throws {
      let session = Session(folder: folder, hasKeyring: false)
      let noService = "There is no Secret Service: nobody on the session bus answers for it"
      let noBus = "There is no Secret Service: this process has no session bus"
      #expect(try session.run("victim service check 0") == ["available false, \(noService)"])
      #expect(
        try session.run(
          """
          unset DBUS_SESSION_BUS_ADDRESS
          victim service check 0
          export DBUS_SESSION_BUS_ADDRESS=unix:path=$PWD/nowhere
          victim service check 0
          """) == ["available false, \(noBus)", "available false, \(noBus)"])
    }

    @Test func aKeyringThatGoesAndComesBack() throws {
      let session = Session(folder: folder)
      let gone = "There is no Secret Service: nobody on the session bus answers for it"
      let printed = try session.run(
        """
        victim service gone $KEYRING >victim.log 2>&1 &
        VICTIM=$!
        for _ in $(seq 200); do grep -q again victim.log && break; sleep 0.05; done
        keyring
        wait $VICTIM
        cat victim.log
        """)
      #expect(printed.filter { !$0.contains("Killed") } == ["read: \(gone)", "write: \(gone)", "again", "found 1"])
    }

    @Test func aBusThatGoesTakesNoProcessAlong() throws {
      let session = Session(folder: folder, hasRunner: false)
      let printed = try session.run("victim service bus $BUS; echo $?")
      #expect(
        printed == ["read: There is no Secret Service: this process has no session bus", "available false", "0"])
    }

    @Test func aKeyringThatDoesNotAnswer() throws {
      let session = Session(folder: folder)
      let printed = try session.run("victim service stopped $KEYRING")
      #expect(
        printed == [
          "read: The Secret Service did not answer in time", "soon true", "cancelled: The task was cancelled",
          "soon true", "found 1",
        ])
    }
  }
#endif
