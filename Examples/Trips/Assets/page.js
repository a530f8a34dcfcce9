'use strict';
// The page works without this script: its links and forms are plain ones. With it, what changes anywhere arrives by
// itself, and whoever is typing is left alone.

const said = document.getElementById('said');
const part = (name) => document.querySelector(`[data-part="${name}"]`);

/** Whether somebody has begun to change the form that is open: what is typed is in no store yet. */
let isDrafted = false;

// ---- Parts: what the server drew is put in place of the old, element by element ----

/** What tells a node from its neighbours. Not `id`: a form that has a field of that name gives the field. */
const keyOf = (node) =>
  node.nodeType === Node.ELEMENT_NODE ? node.dataset.key ?? node.getAttribute('id') ?? undefined : undefined;

/** Makes a node say what another says, and keeps each part of it that stays: its focus, and what is typed into it. */
function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    // What a person has opened stays open.
    if (name !== 'open' && name !== 'class' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  morphChildren(old, [...fresh.childNodes]);
}

function morphChildren(old, incoming) {
  const wanted = new Set(incoming.map(keyOf));
  for (const child of [...old.children]) if (keyOf(child) !== undefined && !wanted.has(keyOf(child))) child.remove();
  const known = new Map([...old.children].map((child) => [keyOf(child), child]));
  let cursor = old.firstChild;
  for (const fresh of incoming) {
    const key = keyOf(fresh);
    const match = key !== undefined ? known.get(key) : cursor && keyOf(cursor) === undefined ? cursor : undefined;
    if (!match || match.nodeName !== fresh.nodeName || match.type !== fresh.type) {
      old.insertBefore(fresh, cursor);
      continue;
    }
    if (match === cursor) cursor = cursor.nextSibling;
    else old.insertBefore(match, cursor);
    morph(match, fresh);
  }
  while (cursor) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

/** A list of trips, in which a form that somebody has begun to change stays as it is. */
function morphTrips(container, fresh, isLive) {
  const before = new Map([...container.children].map((card) => [card.dataset.key, card.source]));
  for (const card of fresh.children) {
    const source = card.innerHTML;
    const known = before.get(card.dataset.key);
    if (isLive && known !== undefined && known !== source) card.classList.add('changed');
    card.source = source;
  }
  const sources = new Map([...fresh.children].map((card) => [card.dataset.key, card.source]));
  const open = isDrafted && isLive ? container.querySelector('form[data-form="trip"]')?.closest('article') : undefined;
  if (open) {
    const same = [...fresh.children].find((card) => card.dataset.key === open.dataset.key);
    const seen = (card) => card?.querySelector('[name="seen"]')?.value;
    document.getElementById('elsewhere').hidden = seen(same) === seen(open);
    const stays = open.cloneNode(true);
    if (same) same.replaceWith(stays);
    else fresh.append(stays);
  }
  morphChildren(container, [...fresh.childNodes]);
  for (const card of container.children) card.source = sources.get(card.dataset.key);
}

function show(drawing, isLive) {
  const { id: focused, selectionStart, selectionEnd } = document.activeElement;
  for (const [name, markup] of Object.entries(drawing.parts)) {
    const container = part(name);
    // What has not changed is not touched: nothing is read out twice.
    if (container.source === markup) continue;
    container.source = markup;
    const template = document.createElement('template');
    template.innerHTML = markup;
    if (name === 'trips') morphTrips(container, template.content, isLive);
    else morphChildren(container, [...template.content.childNodes]);
  }
  // An element that was moved has lost the focus, and the place in its text.
  if (!focused || document.activeElement?.id === focused) return;
  const again = document.getElementById(focused);
  again?.focus();
  if (typeof selectionStart === 'number') again?.setSelectionRange?.(selectionStart, selectionEnd);
}

/** Puts the focus on the first of these that is there. */
function focusOn(...ids) {
  for (const id of ids) {
    const element = document.getElementById(id);
    if (element) { element.focus(); return; }
  }
}

function tell(words) {
  // Emptied first: the same words twice are news twice.
  said.textContent = '';
  setTimeout(() => { said.textContent = words; }, 50);
}

// ---- What others change ----

/** How often the view was asked for, and what was shown last: an answer that was overtaken is of no use. */
let asked = 0;
let shown = 0;

async function load(isLive) {
  const turn = asked += 1;
  try {
    const response = await fetch('/view' + location.search);
    if (!response.ok) throw new Error(await response.text());
    const drawing = await response.json();
    if (turn < shown) return;
    shown = turn;
    show(drawing, isLive);
  } catch {
    // The events' connection says that the server is gone; the page stays as it is.
  }
}

const refresh = oneAtATime(() => load(true));
follow({ change: refresh }, refresh);

// ---- What is done here ----

/** Goes to another state of the page, as a link would. */
async function go(address) {
  const was = document.querySelector('form[data-form="trip"] [name="id"]')?.value;
  isDrafted = false;
  if (address !== location.pathname + location.search) history.pushState(null, '', address);
  await load(false);
  focusOn('field-name', was === undefined ? 'trips' : `edit-${was}`);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-go]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && event.target.closest('form[data-form="trip"]')) go('/');
});

document.addEventListener('input', (event) => {
  if (event.target.closest('form[data-form="trip"]')) isDrafted = true;
});

addEventListener('popstate', () => { isDrafted = false; load(false); });

/** What follows a form of each kind, once its answer is shown. */
const after = {
  sync: () => { if (!part('error').textContent) tell('Synced.'); },
  behaviour: () => tell('The server does so from now on.'),
  offer: (form) => {
    if (part('problem').textContent) return;
    form.closest('details').open = false;
    form.closest('details').querySelector('summary').focus();
    if (!form.elements.id.value) form.reset();
    tell('The server offers it. The next sync brings it.');
  },
  trip: (form, pressed, drawing, places) => {
    const id = form.elements.id.value;
    if (drawing.address === '/') {
      isDrafted = false;
      history.pushState(null, '', '/');
      focusOn(`edit-${id}`, 'trips');
      tell('Saved.');
      return;
    }
    isDrafted = true;
    const [action, leg] = (pressed?.value ?? 'save').split(':');
    const legs = [...document.querySelectorAll('.fields li')];
    if (document.getElementById('problem')) focusOn(document.activeElement.id || 'save', 'save');
    else if (action === 'add') legs.at(-1)?.querySelector('[name="leg-from"]').focus();
    else if (action === 'remove') focusOn(`remove-${legs[Math.min(places.indexOf(leg), legs.length - 1)]?.dataset.key}`, 'add');
    else focusOn(pressed?.id, `up-${leg}`, `down-${leg}`);
  },
};

document.addEventListener('submit', async (event) => {
  const form = event.target;
  const kind = form.dataset.form;
  if (!kind) return;
  event.preventDefault();
  const places = [...document.querySelectorAll('.fields li')].map((item) => item.dataset.key);
  try {
    const response = await fetch(form.getAttribute('action'), {
      method: 'POST', headers: { Accept: 'application/json' }, body: new URLSearchParams(new FormData(form, event.submitter)),
    });
    if (!response.ok) throw new Error(await response.text());
    const drawing = await response.json();
    if (kind === 'trip') {
      shown = asked += 1;
      show(drawing, false);
    } else {
      // Its answer is the list; this window may have a form open.
      part('problem').source = undefined;
      show({ parts: { problem: drawing.parts.problem } }, true);
      await load(true);
    }
    after[kind]?.(form, event.submitter, drawing, places);
  } catch (error) {
    tell(`This could not be done: ${error.message}`);
  }
});

// ---- Begin ----

for (const container of document.querySelectorAll('[data-part]')) container.source = container.innerHTML;
for (const card of part('trips').children) card.source = card.innerHTML;
document.addEventListener('animationend', (event) => event.target.classList.remove('changed'));
