/// Object requests against a real store.
@NullMarked
package dev.sluice.targetnode.object;

import org.jspecify.annotations.NullMarked;
