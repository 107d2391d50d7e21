/// One drive at work for its slots: its loop, and what the cores of its slots tell it to do. Open {@link
/// dev.sluice.targetnode.replica.loop.DriveReplicas} first. May depend on `core` and on `storage`.
@NullMarked
package dev.sluice.targetnode.replica.loop;

import org.jspecify.annotations.NullMarked;
