"""From a synthetic city to a cancelled run in a real browser; the whole journey is in test_journey.py."""

from web.serving import served

MINUTE = 60_000


def test_a_city_is_read_looked_at_and_a_run_is_cancelled(tab, tmp_path):
    folder = tmp_path / "mobility"
    folder.mkdir()
    with served(folder) as server:
        page = tab.page
        tab.open(server.link)
        page.wait_for_url(f"{server.address}/data")
        page.get_by_text("Synthetic city", exact=True).click()
        page.get_by_label("People").fill("60")
        page.get_by_label("Days").fill("3")
        page.get_by_role("button", name="Read the data").click()
        page.get_by_text("What was dropped and why", exact=True).wait_for(timeout=4 * MINUTE)
        page.goto(f"{server.address}/protect")
        page.get_by_role("button", name="Run GLOVE").click()
        page.get_by_role("button", name="Cancel: GLOVE, k = 11").click()
        page.get_by_text("GLOVE, k = 11, cancelled").wait_for(timeout=MINUTE)
        page.goto(f"{server.address}/risk")
        page.locator("canvas.map[data-drawn], #view .panel").first.wait_for(timeout=4 * MINUTE)
        page.get_by_text("2 km", exact=True).first.click()
        page.get_by_text("--cell-m 2000").first.wait_for(timeout=MINUTE)
        assert all(address.startswith(server.address) for address in tab.requested)
        assert tab.complaints == []
        assert "Traceback" not in server.log
