/// What can go wrong with stored objects, by meaning. Knows no HTTP.
@NullMarked
package dev.sluice.common.store;

import org.jspecify.annotations.NullMarked;
