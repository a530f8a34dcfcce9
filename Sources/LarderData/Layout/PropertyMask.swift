public import LarderSupport

// Code that macros write names it as a member of this module. It is declared in a separate module, so that its operators are
// inlined in each file.
public typealias _PropertyMask = LarderSupport._PropertyMask
