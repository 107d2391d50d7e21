/// Checksums: the ones clients send (S3's five and MD5) and the CRC32C blocks that every stored object has. Open
/// {@link dev.sluice.common.checksum.ChecksumAlgorithm} first. Depends on nothing.
@NullMarked
package dev.sluice.common.checksum;

import org.jspecify.annotations.NullMarked;
