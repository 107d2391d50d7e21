/// What is known of one object and how it is written beside its bytes. Depends on nothing of the store.
@NullMarked
package dev.sluice.targetnode.storage.record;

import org.jspecify.annotations.NullMarked;
