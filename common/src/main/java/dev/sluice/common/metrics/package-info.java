/// What `/metrics` of a node says, read by others.
@NullMarked
package dev.sluice.common.metrics;

import org.jspecify.annotations.NullMarked;
