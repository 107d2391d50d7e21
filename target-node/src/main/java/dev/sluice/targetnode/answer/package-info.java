/// What GetObject and HeadObject answer, wherever the bytes come from. Open {@link
/// dev.sluice.targetnode.answer.ObjectAnswer} first. Depends on the S3 records, HTTP as values and the storage's
/// records only.
@NullMarked
package dev.sluice.targetnode.answer;

import org.jspecify.annotations.NullMarked;
