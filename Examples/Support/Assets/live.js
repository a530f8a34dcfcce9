'use strict';
// What the examples' pages share: they follow the server's events, and draw anew one at a time.

/** A connection that breaks is often back at once. */
const LOST_AFTER_MS = 1500;

/**
 * Calls a function for each kind of event, and `whenMissed` where there may have been some that this page was not told
 * of: between its drawing and now, or while the connection was lost. The element #lost is shown while the program is
 * gone.
 */
function follow(handlers, whenMissed) {
  const lost = document.getElementById('lost');
  const events = new EventSource('/events');
  for (const [kind, handler] of Object.entries(handlers)) events.addEventListener(kind, handler);
  let losing;
  let isDrawnNow = true;
  events.addEventListener('error', () => { losing ??= setTimeout(() => { lost.hidden = false; }, LOST_AFTER_MS); });
  events.addEventListener('begun', (event) => {
    clearTimeout(losing);
    losing = undefined;
    lost.hidden = true;
    if (!isDrawnNow || event.data !== document.body.dataset.events) whenMissed();
    isDrawnNow = false;
  });
  // A page that is left must not hold its connection.
  addEventListener('pagehide', () => events.close());
}

/** One at a time: many calls in a row need no more than the one that is under way and another. */
function oneAtATime(load) {
  let isLoading = false;
  let isStale = false;
  return async () => {
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    while (isStale) {
      isStale = false;
      await load();
    }
    isLoading = false;
  };
}
