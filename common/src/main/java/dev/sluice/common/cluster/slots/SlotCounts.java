package dev.sluice.common.cluster.slots;

/// How many slots of a group are in which state; each slot is counted once.
///
/// @param full opened, and as many usable in-sync members as the group has replicas
/// @param degraded opened, with fewer
/// @param unopened its primary has not said yet that it serves
public record SlotCounts(int full, int degraded, int unopened) {}
