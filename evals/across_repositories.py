"""Compares a search over all repositories of a team server with a search in each of them.

    python3 evals/across_repositories.py URL TOKEN [--questions DIR] [--each]

The server has the packages of `packages.toml` (`cargo xtask eval --fetch` downloads them) under their names, and as many others as you like.
Every question with known answers is asked three ways: in all repositories at once; in each repository, with the answers merged by score; and in the
repository that the answers are in. Prints NDCG@10 as `evals/README.md` defines it, and how often the repository was among those asked.
"""

import argparse
import json
import math
import pathlib
import urllib.request

HITS = 10


def call(server, operation, arguments, repository=None):
    question = {"operation": operation, "repository": repository, "arguments": arguments}
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}/v1/call", json.dumps(question).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


def names(server):
    headers = {"Authorization": f"Bearer {server.token}"}
    request = urllib.request.Request(f"{server.url}/v1/repositories", headers=headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        return sorted({line["name"] for line in json.load(response)["repositories"]})


def hits(answer, repository):
    """The hits as path below the repository, first line, last line, score."""
    below = f"{repository}/" if repository else ""
    found = answer["answer"]["data"]["hits"]
    return [(below + hit["path"], hit["start_line"], hit["end_line"], hit["score"]) for hit in found]


def ndcg(found, passages):
    """Each passage gains at the first hit that covers it; two that one hit covers gain once."""
    left, gain = list(passages), 0.0
    for rank, (path, start, end, _) in enumerate(found[:HITS], 1):
        covered = [one for one in left if one[0] == path and start <= one[2] and one[1] <= end]
        left = [one for one in left if one not in covered]
        gain += 1 / math.log2(rank + 1) if covered else 0
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(passages), HITS) + 1))
    return gain / ideal


def ask(server, question, repositories):
    arguments = {"query": [question["query"]], "limit": HITS}
    passages = [(f"{question['repo']}/{one['path']}", one["start_line"], one["end_line"]) for one in question["relevant"]]
    together = call(server, "search", arguments)
    separate = {name: hits(call(server, "search", arguments, name), name) for name in repositories}
    merged = sorted((hit for found in separate.values() for hit in found), key=lambda hit: (-hit[3], hit[:3]))
    return {
        "all": ndcg(hits(together, ""), passages),
        "merged": ndcg(merged, passages),
        "own": ndcg(separate[question["repo"]], passages),
        "asked": question["repo"] in together["repositories"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("token")
    parser.add_argument("--questions", type=pathlib.Path, default=pathlib.Path(__file__).parent / "questions")
    parser.add_argument("--each", action="store_true", help="print every question")
    server = parser.parse_args()
    repositories = names(server)
    questions = [json.loads(line) for file in sorted(server.questions.glob("*.jsonl")) for line in file.open()]
    questions = [one for one in questions if one["relevant"] and one["repo"] in repositories]
    results = []
    for question in questions:
        result = ask(server, question, repositories)
        results.append(result)
        if server.each:
            print(json.dumps({"repo": question["repo"], "query": question["query"], **result}), flush=True)
    mean = lambda key: sum(float(one[key]) for one in results) / len(results)
    print(f"{len(results)} questions, {len(repositories)} repositories")
    print(f"NDCG@10 in all at once       {mean('all'):.3f}")
    print(f"NDCG@10 in each, merged      {mean('merged'):.3f}")
    print(f"NDCG@10 in the right one     {mean('own'):.3f}")
    print(f"the right one was asked      {mean('asked'):.3f}")


if __name__ == "__main__":
    main()
