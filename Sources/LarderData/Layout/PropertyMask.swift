public import LarderSupport

// The text that macros write names it as a member of this module. It lies in a module of its own, so that its operators are
// inlined in each file.
public typealias _PropertyMask = LarderSupport._PropertyMask
