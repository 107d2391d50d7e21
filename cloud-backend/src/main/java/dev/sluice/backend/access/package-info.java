/// Which clouds the buckets of this node may reach, and with which credentials. Open {@link
/// dev.sluice.backend.access.BackendRules} first. May depend on `common` and on the addresses of `backend`.
@NullMarked
package dev.sluice.backend.access;

import org.jspecify.annotations.NullMarked;
