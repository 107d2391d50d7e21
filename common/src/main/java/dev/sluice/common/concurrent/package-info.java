/// Doing things at the same time. Depends on nothing.
@NullMarked
package dev.sluice.common.concurrent;

import org.jspecify.annotations.NullMarked;
