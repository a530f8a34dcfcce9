import SwiftData

@Model
class WideBase {
  var b0 = 0
  var b1 = 0
  var b2 = 0
  var b3 = 0
  var b4 = 0
  var b5 = 0
  var b6 = 0
  var b7 = 0
  var b8 = 0
  var b9 = 0
  var b10 = 0
  var b11 = 0
  var b12 = 0
  var b13 = 0
  var b14 = 0
  var b15 = 0
  var b16 = 0
  var b17 = 0
  var b18 = 0
  var b19 = 0
  var b20 = 0
  var b21 = 0
  var b22 = 0
  var b23 = 0
  var b24 = 0
  var b25 = 0
  var b26 = 0
  var b27 = 0
  var b28 = 0
  var b29 = 0
  var b30 = 0
  var b31 = 0
  var b32 = 0
  var b33 = 0
  var b34 = 0
  var b35 = 0
  var b36 = 0
  var b37 = 0
  var b38 = 0
  var b39 = 0
  init() {}
}

@Model
class WideChild: WideBase {
  var c0 = 0
  var c1 = 0
  var c2 = 0
  var c3 = 0
  var c4 = 0
  var c5 = 0
  var c6 = 0
  var c7 = 0
  var c8 = 0
  var c9 = 0
  var c10 = 0
  var c11 = 0
  var c12 = 0
  var c13 = 0
  var c14 = 0
  var c15 = 0
  var c16 = 0
  var c17 = 0
  var c18 = 0
  var c19 = 0
  var c20 = 0
  var c21 = 0
  var c22 = 0
  var c23 = 0
  var c24 = 0
  var c25 = 0
  var c26 = 0
  var c27 = 0
  var c28 = 0
  var c29 = 0
  var text: String?
  var tags: [String] = []
  override init() { super.init() }
}

@Model
class WideSibling: WideBase {
  var s0 = 0
  var s1 = 0
  var s2 = 0
  var s3 = 0
  var s4 = 0
  var s5 = 0
  var s6 = 0
  var s7 = 0
  var s8 = 0
  var s9 = 0
  var s10 = 0
  var s11 = 0
  var s12 = 0
  var s13 = 0
  var s14 = 0
  var s15 = 0
  var s16 = 0
  var s17 = 0
  var s18 = 0
  var s19 = 0
  var s20 = 0
  var s21 = 0
  var s22 = 0
  var s23 = 0
  var s24 = 0
  var s25 = 0
  var s26 = 0
  var s27 = 0
  var s28 = 0
  var s29 = 0
  override init() { super.init() }
}
