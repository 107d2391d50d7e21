/// One target put together: its drives, the handlers over them, the clouds behind its buckets. Open {@link
/// dev.sluice.targetnode.TargetNode} first, then {@link dev.sluice.targetnode.object}. No package below may depend on
/// this one; the module may depend on `common` and `cloud-backend`, never on `proxy`.
@NullMarked
package dev.sluice.targetnode;

import org.jspecify.annotations.NullMarked;
