// Users' tests reach the server by `import LarderTesting`.
@_exported public import LoopbackServer
