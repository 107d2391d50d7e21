"""Compares the documents of a YAML file with Kubernetes' schemas, and prints them as one JSON array.

kube_schemas.py FILE VERSION...    exit 1 and a line for each document that a version would refuse
"""

import json
import sys

import kubernetes_validate
import yaml

# Kinds of operators: Kubernetes does not know them.
OTHERS = {"ServiceMonitor"}


def refusals(document, version):
    where = f"{document['kind']} {document['metadata']['name']}, Kubernetes {version}"
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as wrong:
        yield f"{where}: {'.'.join(map(str, wrong.path))}: {wrong.message}"
    except kubernetes_validate.SchemaNotFoundError:
        if document["kind"] not in OTHERS:
            yield f"{where}: unknown kind"


def main(file, *versions):
    with open(file, encoding="utf-8") as text:
        documents = [each for each in yaml.safe_load_all(text) if each]
    wrong = [line for each in documents for version in versions for line in refusals(each, version)]
    print("\n".join(wrong), file=sys.stderr)
    json.dump(documents, sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
