import DurabilityWork
import Foundation
import LarderSecrets
import Testing

#if os(Linux)
  /// The desktop's keyring, a real one in a session of its own. Needs dbus and gnome-keyring: `make setup WHAT=test`.
  @Suite(.timeLimit(.minutes(20))) struct SecretServiceTests {
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
      let noService = "The Secret Service cannot be used: nobody on the session bus answers for it"
      let noBus = "The Secret Service cannot be used: this process has no session bus"
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

    /// As on a server where one is installed, and begun by the first who asks.
    @Test func aServiceWithoutAKeyring() throws {
      let session = Session(folder: folder, hasKeyring: false)
      let printed = try session.run(
        """
        gnome-keyring-daemon --foreground --components=secrets </dev/null >keyring.log 2>&1 &
        KEYRING=$!
        disown
        for _ in $(seq 2400); do ask / org.freedesktop.DBus.Peer.Ping >ping.log && break; sleep 0.05; done
        victim service check 0
        victim service without 0
        victim service system $PWD/secrets
        """)
      let none = "The Secret Service cannot be used: it has no keyring yet"
      #expect(
        printed == ["available false, \(none)", "read: done", "write: \(none)", "kind encrypted-file"])
    }

    @Test func theSystemsStoreStaysInTheKeyring() throws {
      let session = Session(folder: folder)
      #expect(try session.run("victim service system $PWD/secrets") == ["kind secret-service"])
      #expect(try session.run("victim service system $PWD/secrets") == ["kind secret-service"])
      let without = Session(folder: folder, hasKeyring: false)
      #expect(
        try without.run("victim service system $PWD/secrets") == [
          "system: The Secret Service cannot be used: nobody on the session bus answers for it"
        ])
      #expect(folder.bytes("secrets") == nil)
    }

    @Test func aKeyringThatGoesAndComesBack() throws {
      let session = Session(folder: folder)
      let gone = "The Secret Service cannot be used: nobody on the session bus answers for it"
      let printed = try session.run(
        """
        : >victim.log
        victim service gone $KEYRING >victim.log 2>&1 &
        VICTIM=$!
        for _ in $(seq 2400); do grep -q again victim.log && break; sleep 0.05; done
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
        printed == ["read: The Secret Service cannot be used: this process has no session bus", "available false", "0"])
    }

    @Test func aKeyringThatDoesNotAnswer() throws {
      let session = Session(folder: folder)
      let printed = try session.run("victim service stopped $KEYRING")
      #expect(
        printed == [
          "read: The Secret Service did not answer in time", "its own true", "cancelled: The task was cancelled",
          "found 1",
        ])
    }

    /// One call waits for a keyring that does not answer, and the others wait for their turn behind it.
    @Test func callsEndInTheirOwnTimeWhileTheyWaitForTheirTurn() throws {
      let session = Session(folder: folder)
      let printed = try session.run("victim service queued $KEYRING")
      #expect(
        printed == [
          "brief: The Secret Service did not answer in time", "cancelled: The task was cancelled", "first ended false",
          "first: The task was cancelled", "found 1",
        ])
    }
  }
#endif
