import DurabilityWork
import Foundation

#if os(Linux)
  /// A desktop's session: a bus, and gnome-keyring on it, whose files are in a folder of its own.
  struct Session {
    let folder: WorkFolder
    /// What unlocks the keyring; nil starts it locked.
    var password: String? = "a known password"
    /// Whether the keyring is started, and by whom the bus is.
    var hasKeyring = true
    var hasRunner = true

    /// Runs a shell's commands in the session; `$KEYRING` and `$BUS` are its processes, `victim` is the victim.
    func run(_ commands: String) throws -> [String] {
      let script = """
        #!/bin/bash
        cd '\(folder.url.path(percentEncoded: false))'
        mkdir -p -m 700 home run
        export HOME=$PWD/home XDG_DATA_HOME=$PWD/home/data XDG_RUNTIME_DIR=$PWD/run
        unset DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY GNOME_KEYRING_CONTROL
        # No services that are begun on demand: that keyring would be another one, and locked.
        cat >bus.conf <<'END'
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
          <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
          <allow own="*"/></policy></busconfig>
        END
        cat >inside <<'END'
        victim() { '\(ChildProcess.path(of: "SecretVictim"))' "$@"; }
        ask() { dbus-send --session --print-reply --dest=org.freedesktop.secrets "$@" 2>/dev/null; }
        # It has its name on the bus before it has read its files, and has unlocked them later still.
        is_ready() {
          ask /org/freedesktop/secrets org.freedesktop.Secret.Service.ReadAlias string:default |
            grep -q /collection/login &&
            ask /org/freedesktop/secrets/collection/login org.freedesktop.DBus.Properties.Get \\
              string:org.freedesktop.Secret.Collection string:Locked | grep -q \(password == nil ? "true" : "false")
        }
        keyring() {
          \(start) >keyring.log 2>&1 &
          KEYRING=$!
          disown
          for _ in $(seq 2400); do is_ready && return; sleep 0.05; done
          echo 'the keyring does not answer'
        }
        \(hasKeyring ? "keyring" : "")
        \(commands)
        [ -z "${KEYRING:-}" ] || kill -KILL "$KEYRING" 2>/dev/null
        END
        \(runner)
        """
      try Data(script.utf8).write(to: folder.file("session"))
      let output = folder.file("printed\(UUID().uuidString)")
      let process = try ChildProcess(executable: "/bin/bash", [folder.path("session")], output: output)
      _ = process.wait()
      return process.printed.split(separator: "\n").map(String.init).filter { !$0.contains("Failed to set fd limit") }
    }

    private var start: String {
      let daemon = "gnome-keyring-daemon --foreground --components=secrets"
      return password.map { "\(daemon) --unlock < <(printf %s '\($0)')" } ?? daemon
    }

    private var runner: String {
      hasRunner
        ? "exec dbus-run-session --config-file=bus.conf -- bash ./inside"
        : """
        { read -r DBUS_SESSION_BUS_ADDRESS; read -r BUS; } \\
          < <(dbus-daemon --config-file=bus.conf --nofork --print-address=1 --print-pid=1 2>/dev/null)
        export DBUS_SESSION_BUS_ADDRESS BUS
        bash ./inside
        kill -KILL "$BUS" 2>/dev/null
        """
    }
  }
#endif
