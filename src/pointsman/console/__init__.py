"""The console: pages for people, drawn on the server, over read models that the gateway hands in.

How a page is added:

1. `console/pages/NAME.py`: a class that takes `Templates` and what it asks of the gateway (a Protocol of its own, or callables),
   with `routes()` that yields `Route("GET", "/ui/NAME", self.page)`; a path may hold one `{name}` (`visit.named`).
2. A handler takes a `Visit`, returns a `Reply` (or awaits one) and raises PointsmanError with `Said` for what is wrong, which
   becomes a page that says so. What reads the disk does so by `asyncio.to_thread`. What changes something is a POST route that
   calls `visit.must_change()` first, and ends in `see_other(path)`; the token and the origin have been checked by then.
3. `console/templates/NAME.html` extends `base.html` (blocks `title`, `scripts`, `main`). Each text stands there in both
   languages: `t("English", "中文", slot=value)`; `say(said)`, `clock(seconds)`, `day(seconds)`, `marks.stage(kind)`, filters
   number, ms, seconds, percent, size; forms hold `{{ marks.token() }}`; htmx sends the token by itself, and answers to it
   (`visit.fragment`) are pieces: `templates.part("parts/NAME.html", visit, …)`.
4. Styles: classes of static/console.css, colours of static/tokens.css. No style and no script in the page (the policy forbids it):
   widths are attributes of SVG, behaviour is a file in static/, named by `asset('NAME.js')`.
5. The menu has its entry already (`PLACES` in shell.py; pass `place="NAME"`). app/console.py (`_pages`) wires the page.
6. tests/console: the handler without a browser; `test_pages_in_a_browser.py` lists the page for both languages and axe.

It imports neither http nor store: app/console.py and app/console_state.py translate."""
