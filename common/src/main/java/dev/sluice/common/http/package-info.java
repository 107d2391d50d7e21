/// HTTP as values: what a handler sees of a request and what it answers. Open {@link
/// dev.sluice.common.http.HttpHandler} first, then `Answer`. Knows no Netty and depends on nothing.
@NullMarked
package dev.sluice.common.http;

import org.jspecify.annotations.NullMarked;
