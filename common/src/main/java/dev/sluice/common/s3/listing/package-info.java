/// Listing as pure code: key order, sorted sources, their merge, pages. Open {@link
/// dev.sluice.common.s3.listing.ListingPage} first. Depends on the S3 records only.
@NullMarked
package dev.sluice.common.s3.listing;

import org.jspecify.annotations.NullMarked;
