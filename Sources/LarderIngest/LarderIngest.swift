// From a response's bytes to rows in one call. Records are LarderJSON's, rows are LarderData's; what is here lets them run
// side by side.
