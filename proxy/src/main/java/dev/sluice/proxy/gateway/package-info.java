/// How a node reaches the targets, and what it answers of itself. Open {@link dev.sluice.proxy.gateway.Targets} first.
@NullMarked
package dev.sluice.proxy.gateway;

import org.jspecify.annotations.NullMarked;
