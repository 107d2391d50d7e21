/// What can go wrong with stored objects, by meaning. Open {@link dev.sluice.common.store.StoreException} first. Knows
/// no HTTP and depends on nothing.
@NullMarked
package dev.sluice.common.store;

import org.jspecify.annotations.NullMarked;
