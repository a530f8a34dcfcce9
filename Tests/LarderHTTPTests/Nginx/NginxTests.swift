import Testing

/// The client beside a server that we did not write. One test after the other: some keep a core busy, others keep time.
@Suite(.serialized) enum NginxTests {}
