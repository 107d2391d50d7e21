/// What one target keeps on its drives: objects, their records, multipart uploads. Open {@link
/// dev.sluice.targetnode.storage.ObjectStore} first.
@NullMarked
package dev.sluice.targetnode.storage;

import org.jspecify.annotations.NullMarked;
