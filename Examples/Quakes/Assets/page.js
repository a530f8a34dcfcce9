'use strict';
// The page works without this script: links sort, the form filters. With it, changes arrive by themselves, nothing
// flickers, and the map can be explored.

const WIDTH = 10000;
const HEIGHT = 4990;
const DEEPEST_ZOOM = 40;
const STATUS_EVERY_MS = 5000;
const TYPING_PAUSE_MS = 150;

const svg = document.getElementById('map');
const ring = document.getElementById('ring');
const detail = document.getElementById('detail');
const form = document.getElementById('filter');
const lost = document.getElementById('lost');
const part = (name) => document.querySelector(`[data-part="${name}"]`);

// ---- Parts: the server's markup is put in place of the old, keeping what is the same ----

const wrappers = {
  map: (markup) => [`<svg xmlns="http://www.w3.org/2000/svg"><g>${markup}</g></svg>`, 'g'],
  rows: (markup) => [`<table><tbody>${markup}</tbody></table>`, 'tbody'],
};

function parse(name, markup) {
  const template = document.createElement('template');
  const [whole, selector] = wrappers[name](markup);
  template.innerHTML = whole;
  return [...template.content.querySelector(selector).children];
}

/** Remembers an element as the server made it: the map's radii and our classes are not part of that. */
function remember(element) {
  element.source = element.outerHTML;
  if (element.tagName === 'circle') element.radius = Number(element.getAttribute('r'));
}

function magnitude(element) {
  return element.dataset.magnitude ?? element.querySelector('.badge').textContent;
}

function patchKeyed(name, markup, isLive) {
  const container = part(name);
  const old = new Map([...container.children].map((element) => [element.dataset.key, element]));
  const incoming = parse(name, markup);
  const stays = new Set();
  let cursor = container.firstElementChild;
  for (const fresh of incoming) {
    remember(fresh);
    const known = old.get(fresh.dataset.key);
    if (known && known.source === fresh.source) {
      stays.add(known);
      if (known === cursor) cursor = cursor.nextElementSibling;
      else container.insertBefore(known, cursor);
      continue;
    }
    if (isLive && !known) fresh.classList.add('new');
    if (isLive && known && magnitude(known) !== magnitude(fresh)) fresh.classList.add('changed');
    if (known?.contains(document.activeElement)) focusAfter = () => fresh.querySelector('button')?.focus();
    stays.add(fresh);
    container.insertBefore(fresh, cursor);
  }
  for (const element of [...container.children]) if (!stays.has(element)) element.remove();
}

/** Markup without the words that merely say how long ago something was: they pass by themselves. */
function essence(markup) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  for (const time of template.content.querySelectorAll('time[data-ago]')) time.textContent = '';
  return template.innerHTML;
}

function patchWhole(name, markup) {
  const container = part(name);
  // What has not changed is not touched: nobody loses the focus, and nothing is read out twice.
  const fresh = essence(markup);
  if (fresh === container.source) return;
  container.source = fresh;
  const focused = container.contains(document.activeElement) ? document.activeElement : undefined;
  const same = focused?.dataset.sort ? `[data-sort="${focused.dataset.sort}"]` : focused?.tagName;
  container.innerHTML = markup;
  if (same) container.querySelector(same)?.focus();
}

let focusAfter;

function show(parts, isLive) {
  for (const [name, markup] of Object.entries(parts)) {
    if (wrappers[name]) patchKeyed(name, markup, isLive);
    else patchWhole(name, markup);
  }
  focusAfter?.();
  focusAfter = undefined;
  if (parts.map !== undefined) {
    scaleCircles();
    select(selected, { quietly: true });
  }
  tellAges();
}

/** How often each kind of answer was asked for, and the latest that was shown. */
const asked = {};
const shown = {};

async function load(path, isLive) {
  const turn = asked[path] = (asked[path] ?? 0) + 1;
  try {
    const response = await fetch(path + location.search);
    if (!response.ok) throw new Error(await response.text());
    const parts = await response.json();
    // An answer that was overtaken by a later one is of no use.
    if (turn < (shown[path] ?? 0)) return;
    shown[path] = turn;
    show(parts, isLive);
  } catch {
    // The events' connection says that the server is gone; the page stays as it is.
  }
}

const refresh = oneAtATime(() => load('/view', true));

// ---- Events: what a save changed, and the origin's coming and going ----

follow({ change: refresh, status: () => load('/status', false) }, refresh);
setInterval(() => { if (!document.hidden && lost.hidden) load('/status', false); }, STATUS_EVERY_MS);

function age(seconds) {
  if (seconds < 1.5) return 'just now';
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

function tellAges() {
  for (const time of document.querySelectorAll('time[data-ago]')) {
    const text = age((Date.now() - Date.parse(time.dateTime)) / 1000);
    if (time.textContent !== text) time.textContent = text;
  }
}
setInterval(tellAges, 1000);

// ---- Sorting and filtering: the address says what is asked for, the store answers ----

function ask(search) {
  history.replaceState(null, '', search);
  for (const name of ['sort', 'order']) form.elements[name].value = new URLSearchParams(search).get(name) ?? '';
  load('/view', false);
}

function askForm() {
  const query = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  ask('/?' + query);
}

form.addEventListener('submit', (event) => { event.preventDefault(); askForm(); });
form.elements.min.addEventListener('change', askForm);
let pause;
form.elements.text.addEventListener('input', () => { clearTimeout(pause); pause = setTimeout(askForm, TYPING_PAUSE_MS); });

document.addEventListener('click', (event) => {
  const link = event.target.closest('th a, a.more');
  if (link) {
    event.preventDefault();
    ask(link.getAttribute('href'));
    return;
  }
  const row = event.target.closest('tr[data-key]');
  if (row) select(row.dataset.key, { reveal: true });
});

document.addEventListener('submit', async (event) => {
  if (event.target.id !== 'control') return;
  event.preventDefault();
  event.target.querySelector('button').disabled = true;
  await fetch(event.target.action, { method: 'POST', redirect: 'manual' }).catch(() => {});
});

// ---- The map: zoom, movement, and the earthquake in question ----

const view = { x: 0, y: 0, width: WIDTH };
const zoom = () => WIDTH / view.width;
const circles = () => part('map').children;
let selected;

/** Circles grow less than the map does, so that a swarm comes apart. */
function scaled(radius) { return radius / Math.pow(zoom(), 0.7); }

let drawnZoom = 1;

function scaleCircles() {
  for (const circle of circles()) circle.setAttribute('r', scaled(circle.radius));
  drawnZoom = zoom();
}

function draw() {
  view.width = Math.min(WIDTH, Math.max(WIDTH / DEEPEST_ZOOM, view.width));
  const height = view.width * HEIGHT / WIDTH;
  view.x = Math.min(WIDTH - view.width, Math.max(0, view.x));
  view.y = Math.min(HEIGHT - height, Math.max(0, view.y));
  svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.width} ${height}`);
  svg.classList.toggle('zoomed', view.width < WIDTH);
  if (drawnZoom !== zoom()) scaleCircles();
  drawRing(shownCircle);
}

/** Zooms so that a place of the map stays where it is on the screen. */
function zoomBy(factor, x = view.x + view.width / 2, y = view.y + view.width * HEIGHT / WIDTH / 2) {
  const width = Math.min(WIDTH, Math.max(WIDTH / DEEPEST_ZOOM, view.width / factor));
  const ratio = width / view.width;
  view.x = x - (x - view.x) * ratio;
  view.y = y - (y - view.y) * ratio;
  view.width = width;
  draw();
}

function place(event) {
  const box = svg.getBoundingClientRect();
  return [
    view.x + (event.clientX - box.left) / box.width * view.width,
    view.y + (event.clientY - box.top) / box.width * view.width,
  ];
}

/** The circle under the pointer, or the nearest within a finger's reach. */
function nearest(event) {
  const [x, y] = place(event);
  const reach = 12 / svg.clientWidth * view.width;
  let best;
  let least = reach;
  for (const circle of circles()) {
    const distance = Math.hypot(circle.cx.baseVal.value - x, circle.cy.baseVal.value - y);
    const beyond = Math.max(0, distance - scaled(circle.radius)) + distance * 1e-3;
    if (beyond < least) { least = beyond; best = circle; }
  }
  return best;
}

let shownCircle;

function drawRing(circle) {
  shownCircle = circle;
  if (!circle) { ring.setAttribute('r', 0); return; }
  ring.setAttribute('cx', circle.getAttribute('cx'));
  ring.setAttribute('cy', circle.getAttribute('cy'));
  ring.setAttribute('r', scaled(circle.radius) + 3 / svg.clientWidth * view.width);
}

function tell(circle) {
  drawRing(circle);
  detail.hidden = !circle;
  if (!circle) return;
  const { magnitude, place, moment, position } = circle.dataset;
  const title = document.createElement('b');
  title.textContent = `M ${magnitude} · ${place}`;
  const rest = document.createElement('span');
  rest.textContent = `${moment} UTC · ${position}`;
  detail.replaceChildren(title, rest);
}

const circleOf = (key) => key === undefined ? undefined : part('map').querySelector(`[data-key="${CSS.escape(key)}"]`);

function select(key, { reveal = false, quietly = false, scroll = false } = {}) {
  selected = key;
  const circle = circleOf(key);
  if (!quietly || shownCircle) tell(circle);
  for (const row of part('rows').querySelectorAll('tr.selected')) row.classList.remove('selected');
  const row = key === undefined ? undefined : part('rows').querySelector(`[data-key="${CSS.escape(key)}"]`);
  row?.classList.add('selected');
  if (scroll) row?.scrollIntoView({ block: 'nearest' });
  if (reveal && circle) {
    const [x, y] = [circle.cx.baseVal.value, circle.cy.baseVal.value];
    const height = view.width * HEIGHT / WIDTH;
    if (x < view.x || x > view.x + view.width || y < view.y || y > view.y + height) {
      view.x = x - view.width / 2;
      view.y = y - height / 2;
      draw();
    }
    svg.scrollIntoView({ block: 'nearest' });
  }
}

const pointers = new Map();
let moved = false;

svg.addEventListener('pointerdown', (event) => {
  pointers.set(event.pointerId, event);
  moved = false;
});
svg.addEventListener('pointermove', (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) {
    if (event.pointerType === 'mouse') tell(nearest(event) ?? circleOf(selected));
    return;
  }
  const [x, y] = place(event);
  const [oldX, oldY] = place(before);
  if (pointers.size === 2) {
    const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const spread = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY) || 1;
    zoomBy(spread(event) / spread(before), ...place(other));
    moved = true;
  } else if (Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) > 2 || moved) {
    moved = true;
    svg.setPointerCapture(event.pointerId);
    svg.classList.add('dragging');
    view.x += oldX - x;
    view.y += oldY - y;
    draw();
  } else {
    return;
  }
  pointers.set(event.pointerId, event);
});
for (const name of ['pointerup', 'pointercancel', 'pointerleave']) {
  svg.addEventListener(name, (event) => {
    const wasDown = pointers.delete(event.pointerId);
    svg.classList.remove('dragging');
    if (name === 'pointerup' && wasDown && !moved) select(nearest(event)?.dataset.key, { scroll: true });
    if (name === 'pointerleave') tell(circleOf(selected));
  });
}
svg.addEventListener('wheel', (event) => {
  // In a narrow window the wheel scrolls the page, unless one means the map.
  if (!event.ctrlKey && innerWidth < 1000 && view.width === WIDTH) return;
  event.preventDefault();
  zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), ...place(event));
}, { passive: false });
svg.addEventListener('dblclick', (event) => zoomBy(2.5, ...place(event)));

for (const button of document.querySelectorAll('[data-zoom]')) {
  button.addEventListener('click', () => zoomBy({ in: 1.6, out: 1 / 1.6, all: 0 }[button.dataset.zoom] || 1 / DEEPEST_ZOOM));
}

/** The next earthquake from the one in question, by time (left, right) or strength (up, down). */
function step(value, direction) {
  const present = circleOf(selected);
  const all = [...circles()].sort((a, b) => value(a) - value(b));
  const index = present ? all.indexOf(present) + direction : all.length - 1;
  const next = all[Math.min(all.length - 1, Math.max(0, index))];
  if (next) select(next.dataset.key, { reveal: true, scroll: true });
}

const byTime = (circle) => Number(circle.dataset.time);
const byRadius = (circle) => circle.radius * 1e12 + Number(circle.dataset.time);
const keys = {
  ArrowRight: () => step(byTime, 1),
  ArrowLeft: () => step(byTime, -1),
  ArrowUp: () => step(byRadius, 1),
  ArrowDown: () => step(byRadius, -1),
  Enter: () => part('rows').querySelector('tr.selected button')?.focus(),
  Escape: () => select(undefined),
  '+': () => zoomBy(1.6),
  '=': () => zoomBy(1.6),
  '-': () => zoomBy(1 / 1.6),
  0: () => zoomBy(1 / DEEPEST_ZOOM),
};
svg.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

// ---- Begin ----

document.documentElement.classList.add('scripted');

for (const name of ['map', 'rows']) for (const element of part(name).children) remember(element);
for (const name of ['status', 'synced', 'banner', 'summary', 'activity', 'head', 'more']) {
  part(name).source = essence(part(name).innerHTML);
}
tellAges();
