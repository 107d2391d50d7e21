package dev.sluice.cli.demo.cloud;

/// S3 requests by what a cloud bills them as.
public enum RequestKind {
    GET,
    HEAD,
    PUT,
    LIST,
    DELETE,
    OTHER;

    /// Path style: `/bucket/key` is an object, anything shorter is asked of the bucket or the account.
    static RequestKind of(RequestLine line) {
        return switch (line.method()) {
            case "GET" -> line.isObject() ? GET : LIST;
            case "HEAD" -> HEAD;
            case "PUT" -> PUT;
            case "DELETE" -> DELETE;
            default -> OTHER;
        };
    }
}
