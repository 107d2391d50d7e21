/// What the controllers know of the targets: who hears whom, who may be promised a lease, who is away. Open {@link
/// dev.sluice.targetnode.controller.judge.Reports} first. May depend on `log`.
@NullMarked
package dev.sluice.targetnode.controller.judge;

import org.jspecify.annotations.NullMarked;
