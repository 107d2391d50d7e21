/// Who sent a request, and may it be believed: signatures of clients, tokens of our own nodes, policies of buckets. And
/// how our own clients sign. Open {@link dev.sluice.common.auth.Authenticator} first. Nothing here blocks. Depends on
/// HTTP as values and the S3 records.
@NullMarked
package dev.sluice.common.auth;

import org.jspecify.annotations.NullMarked;
