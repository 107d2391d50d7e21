/// Tests of what is written beside objects.
@NullMarked
package dev.sluice.targetnode.storage.record;

import org.jspecify.annotations.NullMarked;
