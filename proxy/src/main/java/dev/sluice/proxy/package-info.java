/// The gateway of every node, proxy or target: admits a request, sends it to the primary of its key (a call, a relay, a
/// redirect), merges listings, and answers what concerns whole buckets. Open {@link dev.sluice.proxy.NodeHandler}
/// first, then {@link dev.sluice.proxy.s3.S3Gateway}: its switches are the route table. `page` stands on `api`, that on
/// `s3`, that on `gateway`. May depend on `common` only; it reaches targets through
/// {@link dev.sluice.common.peer.TargetService} and does not know what they are made of.
@NullMarked
package dev.sluice.proxy;

import org.jspecify.annotations.NullMarked;
