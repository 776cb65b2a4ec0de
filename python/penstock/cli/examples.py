"""Examples of each command, which its help ends with. A test runs every line."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "outline": (
        "penstock outline cities.json",
        "zcat feed.xml.gz | penstock outline --depth 3",
    ),
    "schema": (
        "penstock schema sizes.csv",
        "penstock schema --at 'features/*' map.geojson",
        "penstock schema --into models:City",
    ),
    "infer": (
        "penstock infer cities.json",
        "penstock infer --name Feature --at 'features/*' map.geojson",
        "penstock infer --kind pydantic sizes.csv",
        "penstock infer --into models:City cities.json",
    ),
    "sniff": (
        "penstock sniff report.csv",
        "penstock sniff --quiet --encoding cp1252 report.csv",
    ),
    "head": (
        "penstock head -n 3 cities.json",
        "penstock head --at 'features/*' --fields id,properties/name map.geojson",
        "penstock head --all --raw --at '*/name' cities.json | sort | uniq -c",
    ),
    "count": (
        "penstock count logs",
        "penstock count --at rss/channel/item feed.xml.gz",
        "penstock count --dialect infer report.csv",
    ),
    "check": (
        "penstock check logs",
        "penstock check --into models:City cities.json",
        "penstock check --sarif cities.json > penstock.sarif",
    ),
    "convert": (
        "penstock convert cities.json cities.ndjson.gz",
        "penstock convert --at rss/channel/item feed.xml.gz items.json",
        "penstock convert --flatten map.geojson - --at 'features/*' --to csv",
        "penstock convert --types --dialect infer report.csv report.json",
    ),
    "cut": (
        "penstock cut sizes.csv size,name",
        "penstock cut --invert sizes.csv note small.csv",
        "penstock cut cities.json name,position/lat --to csv",
    ),
    "recompress": (
        "penstock recompress logs/1.ndjson logs.ndjson.gz",
        "penstock recompress --to zstd --level 9 cities.json - > cities.json.zst",
    ),
    "format": (
        "penstock format cities.json",
        "penstock format --compact --sort-keys cities.json cities.json",
        "zcat feed.xml.gz | penstock format -",
    ),
    "plan": ("penstock plan models:City",),
    "json-schema": (
        "penstock json-schema models:City",
        "penstock json-schema --mode encode models:City",
    ),
    "costs": (
        "penstock costs --quick --group calls",
        "penstock costs --quick --group calls --json costs.json",
    ),
    "completion": ("penstock completion bash > penstock.bash",),
    "help": ("penstock help", "penstock help head"),
}
