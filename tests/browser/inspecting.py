"""Whether a page is made of nothing but what our templates make."""

from __future__ import annotations

import re

from playwright.sync_api import Page

FOREIGN = """
() => {
  const found = [];
  const own = new Set(['/static/review.js', '/static/style.css', '/static/icon.svg']);
  for (const one of document.querySelectorAll('*')) {
    const name = one.localName;
    if (['iframe', 'object', 'embed', 'base', 'style', 'img', 'video', 'audio', 'marquee', 'math',
         'template', 'applet', 'frame', 'animate', 'use', 'b'].includes(name)) found.push(name);
    if (name === 'meta' && one.httpEquiv) found.push('meta ' + one.httpEquiv);
    if (name === 'script' && !own.has(one.getAttribute('src'))) found.push('script');
    if (name === 'link' && !own.has(one.getAttribute('href'))) found.push('link');
    for (const attribute of one.attributes) {
      const key = attribute.name.toLowerCase();
      const value = attribute.value.trim();
      if (key.startsWith('on') || ['style', 'srcdoc', 'ping', 'srcset'].includes(key))
        found.push(name + ' ' + key);
      if (['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'poster'].includes(key)
          && !value.startsWith('/') && !value.startsWith('#') && !value.startsWith('?'))
        found.push(name + ' ' + key + '=' + value.slice(0, 80));
      if (key === 'href' && value.startsWith('//')) found.push(name + ' ' + value.slice(0, 80));
    }
  }
  if (window.__got) found.push('a script of the text ran');
  return found;
}
"""
_WRITTEN_OUT = re.compile(r"\[U\+([0-9A-F]{4,6})\]")


def foreign(page: Page) -> list[str]:
    """Elements and attributes that come from nowhere but a text."""
    return list(page.evaluate(FOREIGN))


def read_back(shown: str) -> str:
    """The text a person is shown, with the characters that are written out put in again."""
    return _WRITTEN_OUT.sub(lambda found: chr(int(found[1], 16)), shown)


def as_kept(text: str) -> str:
    """A text as a page can hold it: ends of lines are one character."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
