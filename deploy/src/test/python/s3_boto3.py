"""A boto3 client with its defaults, and the refusals that a check expects."""

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from checks import ACCESS_KEY, ENDPOINT, REGION, SECRET_KEY, same


def client(access_key=ACCESS_KEY, secret_key=SECRET_KEY, endpoint=ENDPOINT, **config):
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(connect_timeout=10, read_timeout=60, retries={"max_attempts": 1}, **config),
    )


def refused(status, codes, call, **arguments):
    """The call must fail with this status and one of these codes (none for an answer without a body)."""
    try:
        answer = call(**arguments)
    except ClientError as error:
        got = error.response
        same(got["ResponseMetadata"]["HTTPStatusCode"], status, f"status ({got['Error']})")
        if codes and got["Error"]["Code"] not in codes:
            raise AssertionError(f"expected one of {codes}, got {got['Error']}") from None
        return got
    raise AssertionError(f"expected {status} {codes}, but it was served: {answer['ResponseMetadata']}")
