/// The style sheet of the pages, and the script that keeps them up to date. The pages load no other assets.
enum BrowserAssets {
  static let style = """
    :root { color-scheme: light dark; --line: #8884; --quiet: #666; --accent: #0b57d0; }
    @media (prefers-color-scheme: dark) { :root { --quiet: #aaa; --accent: #8ab4f8; } }
    * { box-sizing: border-box; }
    body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
    header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .5rem 1rem;
      border-bottom: 1px solid var(--line); }
    header p { margin: 0; overflow-wrap: anywhere; }
    form { display: flex; flex-wrap: wrap; gap: .5rem; }
    input, button { font: inherit; padding: .25rem .5rem; max-width: 100%; }
    #state { color: var(--quiet); margin-inline-start: auto; }
    main { padding: 1rem; outline: none; }
    h1 { font-size: 1.3rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
    a { color: var(--accent); }
    a:focus-visible, input:focus-visible, button:focus-visible, .wide:focus-visible { outline: 3px solid var(--accent);
      outline-offset: 2px; }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: 1rem; top: 1rem; background: Canvas; padding: .5rem; z-index: 1; }
    .wide { overflow-x: auto; max-width: 100%; }
    table { border-collapse: collapse; }
    th, td { text-align: start; vertical-align: top; padding: .3rem .7rem; border-bottom: 1px solid var(--line);
      max-width: 24rem; overflow-wrap: anywhere; }
    thead th { position: sticky; top: 0; background: Canvas; white-space: nowrap; }
    .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
    small, i { color: var(--quiet); font-weight: normal; }
    dt { font-weight: 600; margin-top: .8rem; overflow-wrap: anywhere; }
    dd { margin: 0; padding-inline-start: 1rem; overflow-wrap: anywhere; }
    dd span { white-space: pre-wrap; }
    ol { margin: 0; padding-inline-start: 2.5rem; }
    nav { display: flex; gap: 1.5rem; margin-top: 1rem; }
    """

  static let script = """
    'use strict';
    // The page is fetched anew when the store was written to, one at a time. Focus and place stay.
    const state = document.getElementById('state');
    let isLoading = false;
    let isStale = false;
    async function load() {
      isStale = true;
      if (isLoading) return;
      isLoading = true;
      while (isStale) {
        isStale = false;
        try {
          const answer = await fetch(location.href, { cache: 'no-store' });
          const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
          const fresh = page.querySelector('main');
          const main = document.querySelector('main');
          if (!fresh || fresh.innerHTML === main.innerHTML) continue;
          const focused = document.activeElement?.closest('main') && document.activeElement.getAttribute('href');
          const across = main.querySelector('.wide')?.scrollLeft ?? 0;
          main.replaceChildren(...fresh.childNodes);
          const wide = main.querySelector('.wide');
          if (wide) wide.scrollLeft = across;
          if (focused) [...main.querySelectorAll('a')].find((a) => a.getAttribute('href') === focused)?.focus();
          state.textContent = 'updated ' + new Date().toLocaleTimeString();
        } catch { state.textContent = 'the program has ended'; }
      }
      isLoading = false;
    }
    const events = new EventSource('events');
    events.addEventListener('open', () => { state.textContent = 'live'; load(); });
    events.addEventListener('error', () => { state.textContent = 'the program has ended'; });
    events.addEventListener('changed', load);
    addEventListener('pagehide', () => events.close());
    """
}
