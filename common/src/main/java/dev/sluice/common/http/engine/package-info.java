/// The HTTP/1.1 engine: sockets, event loops, framing, limits. Open {@link
/// dev.sluice.common.http.engine.HttpServer} first, then `Connection` and `Exchange`. The only package that sees Netty;
/// may depend on {@link dev.sluice.common.http} and {@link dev.sluice.common.store}.
@NullMarked
package dev.sluice.common.http.engine;

import org.jspecify.annotations.NullMarked;
