// Keys for what the page can do anyway: every key presses a button, follows a link or opens a part.
(() => {
  "use strict";
  const one = (selector) => document.querySelector(selector);
  const GO = { q: "/queue", a: "/adjudication", s: "/statistics", p: "/people", e: "/export" };
  const PARTS = { x: "#scores", c: "#control", p: "#prompt" };
  let going = false;
  let sent = false;

  const writing = (target) =>
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

  const press = (key) => {
    const found = one(`[data-key="${CSS.escape(key)}"]`);
    if (!found) return false;
    if (!sent) found.click();
    return true;
  };

  const turn = (part) => {
    if (!part) return false;
    part.open = !part.open;
    if (part.open) part.scrollIntoView({ block: "nearest" });
    return true;
  };

  const unfold = () => {
    const folds = [...document.querySelectorAll("details.fold")];
    const open = folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = open; });
    return folds.length > 0;
  };

  const note = () => {
    const why = one("#why");
    if (!why) return false;
    why.open = true;
    one("#note").focus();
    return true;
  };

  const filter = () => {
    const box = one(".filter-box");
    if (box) box.open = true;
    const first = one("#filter input:not([type=hidden]), #filter select");
    if (first) first.focus();
    return Boolean(first);
  };

  const step = (by) => {
    const links = [...document.querySelectorAll("#cases tbody a")];
    if (!links.length) return false;
    const at = links.indexOf(document.activeElement);
    links[Math.min(Math.max(at + by, 0), links.length - 1)].focus();
    return true;
  };

  const help = () => {
    const dialog = one("#keys");
    if (!dialog) return false;
    if (dialog.open) dialog.close();
    else dialog.showModal();
    return true;
  };

  const go = (key) => {
    const there = GO[key] && one(`header a[href="${GO[key]}"]`);
    if (there) there.click();
    return Boolean(there);
  };

  const ACTIONS = {
    "?": help, "/": filter, o: note, e: unfold, j: () => step(1), k: () => step(-1),
    g: () => { going = true; return true; },
  };

  const act = (key) => {
    if (going) {
      going = false;
      return go(key);
    }
    if (Object.hasOwn(ACTIONS, key)) return ACTIONS[key]();
    if (Object.hasOwn(PARTS, key)) return turn(one(PARTS[key]));
    return press(key);
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (writing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const dialog = one("#keys");
    if (dialog && dialog.open && event.key !== "?") return;
    if (event.key.length === 1 && act(event.key)) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element && event.target.closest('[data-opens="keys"]');
    if (opener && help()) event.preventDefault();
  });

  // A second click sends nothing: the server would refuse it, and it would look like an error.
  document.addEventListener("submit", (event) => {
    if (event.target.method === "dialog" || event.target.hasAttribute("data-many")) return;
    const asks = event.target.getAttribute("data-confirm");
    if (sent || (asks && !window.confirm(asks))) {
      event.preventDefault();
      return;
    }
    sent = event.target.method === "post";
    if (event.submitter) event.submitter.classList.add("chosen");
  });
  // On a phone the filters would push the cases off the screen.
  const box = one(".filter-box");
  if (box && window.matchMedia("(max-width: 40rem)").matches) box.open = Boolean(one(".filter .go a"));

  window.addEventListener("pageshow", () => { sent = false; });
})();
