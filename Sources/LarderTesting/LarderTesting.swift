// Users' tests import the server by `import LarderTesting`.
@_exported public import LoopbackServer
