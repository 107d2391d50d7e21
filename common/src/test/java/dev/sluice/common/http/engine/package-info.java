/// The engine on real sockets of the loopback.
@NullMarked
package dev.sluice.common.http.engine;

import org.jspecify.annotations.NullMarked;
