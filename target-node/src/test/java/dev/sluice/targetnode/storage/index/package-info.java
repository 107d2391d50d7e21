/// Tests of the index in RocksDB.
@NullMarked
package dev.sluice.targetnode.storage.index;

import org.jspecify.annotations.NullMarked;
