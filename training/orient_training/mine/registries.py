"""Fetches the sources of a package: (path, bytes) of each file, with the licence the registry states."""

import dataclasses
import functools
import io
import json
import lzma
import os
import re
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile

from . import licences

MAX_FILE = 400_000
DEBIAN = "https://deb.debian.org/debian/"
SUITES = ("bookworm", "trixie", "sid")


@dataclasses.dataclass
class Package:
    """A package and its files, as an archive."""

    name: str
    licence: str
    url: str  # of its source repository, as stated
    files: object  # yields (path, bytes)


class Missing(Exception):
    """The package or its sources are not there."""


def fetch(url: str, cache: str) -> bytes:
    """The bytes behind an address; kept in a folder, so that a second run asks nobody."""
    path = os.path.join(cache, re.sub(r"[^A-Za-z0-9.@+-]", "_", url.split("//", 1)[1])[-180:])
    if not os.path.exists(path):
        try:
            request = urllib.request.Request(url, headers={"User-Agent": "orient-training"})
            with urllib.request.urlopen(request, timeout=300) as answer:
                data = answer.read()
        except (urllib.error.URLError, OSError) as error:
            raise Missing(f"{url}: {error}") from error
        with open(path + ".part", "wb") as file:
            file.write(data)
        os.replace(path + ".part", path)
    with open(path, "rb") as file:
        return file.read()


def _tar_files(data: bytes):
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as archive:
        for member in archive:
            if member.isfile() and member.size <= MAX_FILE:
                yield member.name.split("/", 1)[-1], archive.extractfile(member).read()


def _zip_files(data: bytes):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if not member.is_dir() and member.file_size <= MAX_FILE:
                yield member.filename, archive.read(member)


def npm(name: str, cache: str) -> Package:
    """The newest version of an npm package."""
    about = json.loads(fetch(f"https://registry.npmjs.org/{urllib.parse.quote(name, safe='@')}/latest", cache))
    licence = about.get("license") or ""
    licence = licence.get("type", "") if isinstance(licence, dict) else str(licence)
    source = about.get("repository") or ""
    source = source.get("url", "") if isinstance(source, dict) else str(source)
    return Package(f"npm:{name}", licence, source, _tar_files(fetch(about["dist"]["tarball"], cache)))


def pypi(name: str, cache: str) -> Package:
    """The source distribution of the newest version of a Python package."""
    about = json.loads(fetch(f"https://pypi.org/pypi/{name}/json", cache))
    info = about["info"]
    stated = [info.get("license_expression") or info.get("license") or ""]
    stated += [c.rsplit(" :: ", 1)[-1] for c in info.get("classifiers", []) if c.startswith("License ::")]
    sources = [u["url"] for u in about["urls"] if u["packagetype"] == "sdist"]
    if not sources:
        raise Missing(f"pypi:{name} has no source distribution")
    licence = " ; ".join(s.split("\n")[0][:80] for s in stated if s)
    # A mirror may give addresses relative to its own.
    source = urllib.parse.urljoin(f"https://pypi.org/pypi/{name}/json", sources[0])
    return Package(f"pypi:{name}", licence, json.dumps(info.get("project_urls") or {}), _tar_files(fetch(source, cache)))


def crates(name: str, cache: str) -> Package:
    """The newest version of a crate."""
    about = json.loads(fetch(f"https://crates.io/api/v1/crates/{name}", cache))
    newest = next(v for v in about["versions"] if not v["yanked"])
    data = fetch(f"https://static.crates.io/crates/{name}/{name}-{newest['num']}.crate", cache)
    return Package(f"crates:{name}", newest.get("license") or "", about["crate"].get("repository") or "", _tar_files(data))


def maven(name: str, cache: str) -> Package:
    """The newest sources archive of `group:artefact` (or `group:artefact:version`) on Maven Central."""
    group, artefact, *version = name.split(":")
    base = f"https://repo1.maven.org/maven2/{group.replace('.', '/')}/{artefact}"
    if not version:
        listing = fetch(f"{base}/maven-metadata.xml", cache).decode()
        stable = [v for v in re.findall(r"<version>([^<]+)", listing) if re.fullmatch(r"[\d.]+(\.Final|-jre)?", v)]
        version = stable[-1:] or re.findall(r"<release>([^<]+)", listing)
    if not version:
        raise Missing(f"maven:{name} has no release")
    pom = fetch(f"{base}/{version[0]}/{artefact}-{version[0]}.pom", cache).decode("utf-8", "replace")
    files = _zip_files(fetch(f"{base}/{version[0]}/{artefact}-{version[0]}-sources.jar", cache))
    source = " ".join(re.findall(r"<url>([^<]+)", pom))
    return Package(f"maven:{group}:{artefact}", _pom_licence(pom, cache), source, files)


def _pom_licence(pom: str, cache: str, depth: int = 4) -> str:
    found = re.findall(r"<license>.*?<name>\s*([^<]+?)\s*</name>", pom, re.S)
    if found or not depth:
        return " OR ".join(found)
    parent = re.search(r"<parent>(.*?)</parent>", pom, re.S)
    if not parent:
        return ""
    group, artefact, version = (re.search(rf"<{t}>\s*([^<]+?)\s*<", parent[1])[1] for t in ("groupId", "artifactId", "version"))
    url = f"https://repo1.maven.org/maven2/{group.replace('.', '/')}/{artefact}/{version}/{artefact}-{version}.pom"
    return _pom_licence(fetch(url, cache).decode("utf-8", "replace"), cache, depth - 1)


def debian(name: str, cache: str) -> Package:
    """The source package of that name in Debian, of the first of its branches that has it."""
    for suite in SUITES:
        try:
            return _debian(name, suite, cache)
        except Missing as error:
            missing = error
    raise missing


@functools.cache
def _sources(suite: str, cache: str) -> str:
    return lzma.decompress(fetch(f"{DEBIAN}dists/{suite}/main/source/Sources.xz", cache)).decode("utf-8", "replace")


def _debian(name: str, suite: str, cache: str) -> Package:
    listing = _sources(suite, cache)
    entry = re.search(rf"^Package: {re.escape(name)}\n(?:.+\n)+", listing, re.M)
    if not entry:
        raise Missing(f"deb:{name} is not in Debian's {suite}")
    folder = re.search(r"^Directory: (\S+)$", entry[0], re.M)[1]
    tars = sorted(set(re.findall(r" (\S+\.tar\.(?:gz|xz|bz2))$", entry[0], re.M)))
    home = re.search(r"^Homepage: (\S+)$", entry[0], re.M)
    rules = [t for t in tars if ".debian.tar." in t] or tars
    copyright_text = dict(_tar_files(fetch(f"{DEBIAN}{folder}/{rules[0]}", cache))).get("copyright", b"")
    licence = licences.of_debian(copyright_text.decode("utf-8", "replace"))

    def files():
        for tar in tars:
            if ".debian.tar." not in tar:
                yield from _tar_files(fetch(f"{DEBIAN}{folder}/{tar}", cache))

    return Package(f"deb:{name}", licence, home[1] if home else "", files())


REGISTRIES = {"npm": npm, "pypi": pypi, "crates": crates, "maven": maven, "debian": debian}
