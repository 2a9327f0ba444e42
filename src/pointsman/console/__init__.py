"""The console: pages for people, drawn on the server, over read models that the gateway hands in.

How a page is added:

1. `console/pages/NAME.py`: a class that takes `Templates` and what it asks of the gateway (a Protocol of its own, or
   callables), with `routes()` that yields `Route("GET", "/ui/NAME", self.page)`; a path may hold one `{name}`, which is
   `visit.named`.
2. A handler takes a `Visit`, returns a `Reply` (or awaits one), and raises PointsmanError with `Said` for what is wrong:
   that becomes a page that says so. What reads the disk does it by `asyncio.to_thread`. What changes something is a POST
   route that calls `visit.must_change()` first and ends in `see_other(path)`; token and origin have been checked by then.
3. `console/templates/NAME.html` extends `base.html` (blocks `title`, `scripts`, `main`). Each text stands there in both
   languages: `t("English", "中文", slot=value)`; `say(said)`, `clock(seconds)`, `day(seconds)`, `marks.stage(kind)`, filters
   number, ms, seconds, percent, size. Forms hold `{{ marks.token() }}`; htmx sends the token by itself, and answers to it
   (`visit.fragment`) are pieces: `Reply(templates.part("parts/NAME.html", visit, …))`.
4. Styles are classes of static/console.css, colours those of static/tokens.css. The policy of contents allows no style and
   no script in a page: widths are attributes of SVG, behaviour is a file in static/, named by `asset("NAME.js")`.
5. The menu has its entry (`PLACES` in shell.py; pass `place="NAME"`); app/console.py (`_pages`) wires the page.
6. tests/console: the handler without a browser, and a line in `PAGES` of test_pages_in_a_browser.py for both languages, both
   themes, phone and axe.

It imports neither http nor store: app/console.py and app/console_state.py translate."""
