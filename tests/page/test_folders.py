"""Folders and large files: published by parts, with the policy that was made for one of them."""

from __future__ import annotations

import os

import pytest

from withhold.page import folder as page_folder

FILE = {"file": "shop/a.dat"}


def test_parts__of_a_folder_are_published_listed_and_proved(client):
    root = client.page.folder.root
    (root / "shop").mkdir()
    for name in "ab":
        (root / "shop" / f"{name}.dat").write_text("bread beer pill\nbeer pill\ntea\ncoffee\n" * 3)
    client.post("/data", kind="records", **FILE)
    client.get("/data", **FILE)
    client.settle()
    client.post("/protect/list", do="paste", list="pill", **FILE)
    client.post("/attack/questions", learn="item", amount="any", sure="0.5", **FILE)
    # The policy is in that folder and is no part, so a pattern is proposed.
    assert 'value="shop/*.dat"' in client.get("/publish", **FILE).text
    assert client.post("/publish/parts", parts="shop/*.dat", into="out", **FILE).status == 303
    client.settle()
    page = client.get("/publish", **FILE).text
    assert "Published by parts" in page
    assert (root / "out" / "manifest.json").is_file()
    releases = client.get("/releases").text
    assert 'value="out"' in releases
    assert "part-0001" not in releases
    assert client.post("/releases/verify", release="out").status == 303
    client.settle()
    assert client.page.queue.latest("verify", "out").result["verdict"]["status"] == "HOLDS"
    assert '<strong class="good" role="status">holds' in client.get("/releases").text
    if os.name == "posix":
        (root / "shop" / "c.dat").symlink_to(root.parent / "secret.txt")
        answer = client.post("/publish/parts", parts="shop/*.dat", into="other", **FILE)
        assert answer.status == 422
        assert "within the folder" in answer.text


def test_large__files_are_not_read_unless_somebody_insists(client, monkeypatch):
    monkeypatch.setattr(page_folder, "physical_memory", lambda: 100)
    page = client.get("/data", file="baskets.dat").text
    assert "may not fit in memory" in page
    assert not client.page.queue.jobs
    assert client.get("/protect", file="baskets.dat").status == 303
    assert client.get("/data", file="baskets.dat", anyway="1").status == 200
    client.settle()
    assert "The most frequent items" in client.get("/data", file="baskets.dat").text


@pytest.mark.parametrize("name", ["missing", "baskets.dat"])
def test_folders__that_are_none_have_no_release(client, name):
    assert client.post("/releases/verify", release=f"{name}/x").status == 422
