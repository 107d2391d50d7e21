/// What GetObject and HeadObject answer, wherever the bytes come from. Depends on the storage's records only.
@NullMarked
package dev.sluice.targetnode.answer;

import org.jspecify.annotations.NullMarked;
