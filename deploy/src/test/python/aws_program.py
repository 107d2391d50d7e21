"""Commands of the AWS command line. Each runs in a process of its own, forked from this one, which has loaded the program
once: what it says to a server and to its user is the same, but its start takes a tenth of a second of a processor instead
of one and a half. SLUICE_AWS_CLI_STARTS=1: each is a start of the program (AWS_CLI) instead."""

import os
import signal
import subprocess
import sys
import tempfile

from checks import ENDPOINT, REGION

PROGRAM = os.environ["AWS_CLI"]
EACH_STARTS = os.environ.get("SLUICE_AWS_CLI_STARTS") == "1"
LONGEST = 120
_OPTIONS = ["--endpoint-url", ENDPOINT, "--region", REGION]
_loaded = []


def start(*arguments, input=None, environment=None):
    """The exit code, and all that it wrote to its output and to its errors, of the program itself."""
    done = subprocess.run(
        [PROGRAM, *_OPTIONS, *arguments],
        capture_output=True, timeout=LONGEST, check=False, input=input, env=os.environ | (environment or {}),
    )
    return done.returncode, done.stdout, done.stderr


def aws(*arguments, input=None, environment=None):
    """The same of a fork."""
    if EACH_STARTS:
        return start(*arguments, input=input, environment=environment)
    program = _program()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(input or b"")
        given.seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            for file, number in ((given, 0), (out, 1), (err, 2)):
                os.dup2(file.fileno(), number)
            os.environ.update(environment or {})
            signal.alarm(LONGEST)
            os._exit(_exit_code(program, arguments))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


def _exit_code(program, arguments):
    try:
        code = program.main([*_OPTIONS, *arguments])
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException as failure:
        print(repr(failure), file=sys.stderr)
        code = 255
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _program():
    if not _loaded:
        import awscli.customizations.s3.s3handler  # noqa: F401 (each `s3 cp` imports it, and what it needs)
        from awscli.clidriver import create_clidriver

        driver = create_clidriver()
        driver.session.create_client("s3", REGION, endpoint_url=ENDPOINT, aws_access_key_id="-", aws_secret_access_key="-")
        _loaded.append(driver)
    return _loaded[0]
