// Conveniences on top of pages that work without them: keys, search as you type, cards, line ranges, live updates.
// Everything from the server is parsed as a document of its own, in which no script runs, and moved into place.

/** What the addresses of pages begin with: that of the repository, on a server with many. */
const base = document.body.dataset.base ?? "";
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Fetches a part of a page. */
async function fragment(address, signal) {
  const url = new URL(address, location.href);
  url.searchParams.set("fragment", "1");
  const response = await fetch(url, { signal, headers: { Accept: "text/html" } });
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...parsed.body.childNodes];
}

// Theme: the system's unless the reader chose one.

const stored = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
})();
if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;

const toggle = $("[data-theme-toggle]");
if (toggle) {
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // The choice lasts for this page only.
    }
  });
}

// Search as you type.

const form = $("form[data-search]");
const results = $("[data-results]");
if (form && results) {
  const box = $("input[type=search]", form);
  let pending;
  let timer;
  const update = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      pending?.abort();
      pending = new AbortController();
      const address = `${base}/search?${new URLSearchParams(new FormData(form))}`;
      results.setAttribute("aria-busy", "true");
      try {
        if (box.value.trim()) results.replaceChildren(...(await fragment(address, pending.signal)));
        else results.replaceChildren();
        if (location.pathname === `${base}/search`) history.replaceState(null, "", address);
      } catch (error) {
        if (error.name !== "AbortError") results.textContent = "The server does not answer.";
      } finally {
        results.setAttribute("aria-busy", "false");
      }
    }, 70);
  };
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    const first = $("a[data-item]", results);
    if (location.pathname === `${base}/search` && first && results.getAttribute("aria-busy") === "false") {
      event.preventDefault();
      first.focus();
    }
  });
}

// Parts that take longer than the page.

for (const part of $$("[data-deferred]")) {
  fragment(part.dataset.deferred)
    .then((nodes) => part.replaceChildren(...nodes))
    .catch(() => ($("[data-scripted]", part).textContent = "The server does not answer."))
    .finally(() => {
      part.removeAttribute("data-deferred");
      part.setAttribute("aria-busy", "false");
    });
}

// Keys.

const places = { s: "/search", c: "/code/", g: "/graph", m: "/map", d: "/change", t: "/status", h: "/" };
let waitsForPlace = false;

/** Moves to the next or previous link of a list. */
function move(step) {
  const items = $$("a[data-item]").filter((item) => item.offsetParent !== null);
  if (!items.length) return false;
  const at = items.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + step, 0), items.length - 1);
  items[next].focus();
  items[next].scrollIntoView({ block: "nearest" });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  const typing = target.matches?.("input, select, textarea");
  if (event.key === "Escape") {
    hideCard();
    if (typing) target.blur();
    return;
  }
  if (typing) {
    if (event.key === "ArrowDown" && target.type === "search" && move(1)) event.preventDefault();
    return;
  }
  if (waitsForPlace) {
    waitsForPlace = false;
    if (places[event.key]) location.assign(base + places[event.key]);
    return;
  }
  const inCode = target.closest?.("[data-source], .diagram, .scroll");
  switch (event.key) {
    case "/":
      ($("#sq") ?? $("#q"))?.focus();
      ($("#sq") ?? $("#q"))?.select();
      break;
    case "?":
      location.assign(`${base}/help`);
      break;
    case "g":
      waitsForPlace = true;
      setTimeout(() => (waitsForPlace = false), 1500);
      break;
    case "o": {
      const outline = $("[data-outline]");
      if (outline) outline.open = !outline.open;
      break;
    }
    case "b":
      $("[data-blame]")?.click();
      break;
    case "j":
      move(1);
      break;
    case "k":
      move(-1);
      break;
    case "ArrowDown":
      if (inCode || !move(1)) return;
      break;
    case "ArrowUp":
      if (inCode || !move(-1)) return;
      break;
    default:
      return;
  }
  event.preventDefault();
});

// Cards of symbols, when the pointer rests on a name or the name has the focus.

let card;
let cardTimer;
let cardRequest;
const cards = new Map();

function hideCard() {
  clearTimeout(cardTimer);
  cardRequest?.abort();
  card?.remove();
  card = undefined;
}

async function showCard(link) {
  const address = link.dataset.card;
  cardRequest?.abort();
  cardRequest = new AbortController();
  try {
    if (!cards.has(address)) cards.set(address, await fragment(address, cardRequest.signal));
  } catch {
    return;
  }
  card?.remove();
  card = document.createElement("div");
  card.className = "hover";
  card.setAttribute("role", "tooltip");
  card.append(...cards.get(address).map((node) => node.cloneNode(true)));
  document.body.append(card);
  const place = link.getBoundingClientRect();
  const below = place.bottom + card.offsetHeight + 8 < innerHeight;
  const top = below ? place.bottom + 4 : Math.max(4, place.top - card.offsetHeight - 4);
  card.style.setProperty("top", `${top + scrollY}px`);
  card.style.setProperty("left", `${Math.max(4, Math.min(place.left, innerWidth - card.offsetWidth - 12)) + scrollX}px`);
  card.addEventListener("pointerenter", () => clearTimeout(cardTimer));
  card.addEventListener("pointerleave", hideCard);
}

document.addEventListener("pointerover", (event) => {
  const link = event.target.closest?.("[data-card]");
  if (!link || event.pointerType === "touch") return;
  clearTimeout(cardTimer);
  cardTimer = setTimeout(() => showCard(link), 280);
});
document.addEventListener("pointerout", (event) => {
  if (!event.target.closest?.("[data-card]")) return;
  clearTimeout(cardTimer);
  cardTimer = setTimeout(hideCard, 250);
});
document.addEventListener("focusin", (event) => {
  const link = event.target.closest?.("[data-source] [data-card]");
  if (!link || !link.matches(":focus-visible")) return;
  clearTimeout(cardTimer);
  cardTimer = setTimeout(() => showCard(link), 280);
});

// Line ranges: a click on a number, then one with Shift; the address has #L10-L20.

const source = $("[data-source]");

function markLines() {
  const found = /^#L(\d+)-L?(\d+)$/.exec(location.hash);
  if (!source) return;
  $$(".l.marked", source).forEach((line) => line.classList.remove("marked"));
  if (!found) return;
  const [first, last] = [Number(found[1]), Number(found[2])].sort((a, b) => a - b);
  for (let line = first; line <= Math.min(last, first + 5000); line++) {
    document.getElementById(`L${line}`)?.classList.add("marked");
  }
  document.getElementById(`L${first}`)?.scrollIntoView({ block: "center" });
}

if (source) {
  source.addEventListener("click", (event) => {
    const number = event.target.closest(".n");
    if (!number || !event.shiftKey) return;
    const from = /^#L(\d+)/.exec(location.hash)?.[1];
    if (!from) return;
    event.preventDefault();
    const to = number.textContent.trim();
    const [first, last] = [Number(from), Number(to)].sort((a, b) => a - b);
    history.replaceState(null, "", `#L${first}-L${last}`);
    markLines();
  });
  addEventListener("hashchange", markLines);
  if (/^#L\d+-/.test(location.hash)) markLines();

  // The definition around the first visible line is marked in the outline.
  const entries = $$("[data-outline] a[data-line]");
  let waiting = false;
  const follow = () => {
    waiting = false;
    const rows = source.children;
    const height = rows[0]?.offsetHeight || 20;
    const top = Math.max(0, -source.getBoundingClientRect().top + 80);
    const line = Number(rows[Math.min(rows.length - 1, Math.floor(top / height))]?.id.slice(1) ?? 0);
    let here;
    for (const entry of entries) {
      if (Number(entry.dataset.line) <= line) here = entry;
      entry.classList.remove("here");
    }
    here?.classList.add("here");
  };
  if (entries.length) {
    addEventListener(
      "scroll",
      () => {
        if (!waiting) requestAnimationFrame(follow);
        waiting = true;
      },
      { passive: true },
    );
  }
}

// A large diagram begins at its focus.

const diagram = $(".diagram");
const focus = diagram && $(".focus rect", diagram);
if (focus) {
  const [outer, inner] = [diagram.getBoundingClientRect(), focus.getBoundingClientRect()];
  diagram.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  diagram.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

// Live: the page follows the index.

const live = $("#live");
if (live && "EventSource" in window && !("shared" in document.body.dataset)) {
  const events = new EventSource("/events");
  let known = document.body.dataset.generation;
  events.addEventListener("index", async (event) => {
    const { generation, pending } = Object.fromEntries(new URLSearchParams(event.data));
    const changed = known && generation !== known;
    known ??= generation;
    live.textContent = `generation ${generation}${pending === "0" ? "" : ` · ${pending} files pending`}`;
    live.classList.toggle("changed", Boolean(changed));
    const part = $("[data-reload]");
    if (part && !part.contains(document.activeElement)) {
      known = generation;
      part.replaceChildren(...(await fragment(part.dataset.reload)));
    } else if (changed) {
      const again = document.createElement("a");
      again.href = location.href;
      again.textContent = "the index has changed: reload";
      again.addEventListener("click", (click) => {
        click.preventDefault();
        location.reload();
      });
      live.append(" · ", again);
    }
  });
  addEventListener("pagehide", () => events.close());
}
