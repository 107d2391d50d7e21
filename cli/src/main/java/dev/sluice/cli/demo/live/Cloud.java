package dev.sluice.cli.demo.live;

import dev.sluice.cli.s3.S3Client;
import dev.sluice.cli.s3.SignedHttp;
import dev.sluice.cli.trust.Trust;
import dev.sluice.common.auth.Credentials;
import java.net.URI;
import java.util.Optional;

/// An S3 endpoint that plays the cloud, with the keys for putting the data set there.
record Cloud(URI endpoint, Optional<Credentials> keys, Trust trust, String name) {
    S3Client client() {
        return new S3Client(new SignedHttp(endpoint, keys, trust));
    }
}
