/// Who takes part: which drives there are, who is heard, which rows hold. Open {@link
/// dev.sluice.targetnode.replica.membership.Membership} first. May depend on `transfer`, `loop` and `core`.
@NullMarked
package dev.sluice.targetnode.replica.membership;

import org.jspecify.annotations.NullMarked;
