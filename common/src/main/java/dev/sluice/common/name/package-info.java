/// The words every module uses: bucket, key, node. Depends on nothing.
@NullMarked
package dev.sluice.common.name;

import org.jspecify.annotations.NullMarked;
