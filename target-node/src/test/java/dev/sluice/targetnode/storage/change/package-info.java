/// How a key is changed: its tests.
@NullMarked
package dev.sluice.targetnode.storage.change;

import org.jspecify.annotations.NullMarked;
