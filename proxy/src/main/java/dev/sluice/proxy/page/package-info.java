/// The page of the cluster, and what it shows. Open {@link dev.sluice.proxy.page.PageHandler} first. May depend on
/// `api` and `gateway`.
@NullMarked
package dev.sluice.proxy.page;

import org.jspecify.annotations.NullMarked;
