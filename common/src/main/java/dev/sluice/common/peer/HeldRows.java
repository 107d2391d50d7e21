package dev.sluice.common.peer;

/// How many objects of a slot a drive has, whatever its part in the slot is.
///
/// @param first the slot's first hash
/// @param rows all of them, or so many that they are enough
public record HeldRows(String drive, int first, long rows) {}
