'use strict';
// The page works without this script: its forms are plain ones. With it, what changes anywhere arrives by itself, and
// what is being typed is left alone.

const said = document.getElementById('said');
const part = (name) => document.querySelector(`[data-part="${name}"]`);

// ---- Parts: what the server drew is put in place of the old ----

/** Puts a part in place. An entry of a list that says the same as before stays the element that it was. */
function place(container, markup, isLive) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  // What has not changed is not touched: nothing is read out twice. Compared as the browser writes it, as at the start.
  const source = template.innerHTML;
  if (container.source === source) return;
  container.source = source;
  const known = new Map([...container.querySelectorAll('[data-key]')].map((entry) => [entry.dataset.key, entry]));
  for (const entry of template.content.querySelectorAll('[data-key]')) {
    const old = known.get(entry.dataset.key);
    const words = entry.innerHTML;
    if (old?.source === words) entry.replaceWith(old);
    else if (isLive) entry.classList.add('changed');
    entry.source = words;
  }
  // What a person has opened stays open.
  for (const details of container.querySelectorAll('details[open]')) {
    const again = template.content.querySelector(`#${details.id}`);
    if (again) again.open = true;
  }
  container.replaceChildren(template.content);
}

function show(parts, isLive) {
  const focused = document.activeElement?.id;
  for (const [name, markup] of Object.entries(parts)) place(part(name), markup, isLive);
  // An element that was drawn anew has lost the focus.
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
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

async function load() {
  const turn = asked += 1;
  try {
    const response = await fetch('/view');
    if (!response.ok) throw new Error(await response.text());
    const drawing = await response.json();
    if (turn < shown) return;
    shown = turn;
    show(drawing.parts, true);
  } catch {
    // The events' connection says that the server is gone; the page stays as it is.
  }
}

const refresh = oneAtATime(load);
follow({ change: refresh }, refresh);

// ---- What is done here ----

// The second click of a double click would send the form that has just been emptied.
document.addEventListener('click', (event) => {
  if (event.detail > 1 && event.target.closest('button')) event.preventDefault();
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.dataset.form) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  try {
    const response = await fetch(form.getAttribute('action'), { method: 'POST', headers: { Accept: 'application/json' }, body });
    if (!response.ok) throw new Error(await response.text());
    const drawing = await response.json();
    shown = asked += 1;
    // What is wrong is said again where it is wrong again.
    part('problem').source = undefined;
    show(drawing.parts, true);
    if (drawing.said) tell(drawing.said);
    if (form.dataset.form !== 'pay') return;
    if (drawing.said) document.getElementById('field-recipient').focus();
    else form.querySelector('[aria-invalid]')?.focus();
  } catch (error) {
    tell(`This could not be done: ${error.message}`);
  }
});

// ---- Begin ----

for (const container of document.querySelectorAll('[data-part]')) container.source = container.innerHTML;
for (const entry of document.querySelectorAll('[data-key]')) entry.source = entry.innerHTML;
document.addEventListener('animationend', (event) => event.target.classList.remove('changed'));
