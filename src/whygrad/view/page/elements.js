// Making elements. Text only ever becomes text: nothing here reads markup.

export const $ = id => document.getElementById(id);

/** An element with properties and children; a child that is a string becomes text. */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (/^(data-|aria-|role$|for$)/.test(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

/** Text in which `code` stands between backticks, as nodes. */
export function prose(text) {
  return String(text).split(/`([^`]+)`/).map((part, at) => (at % 2 ? el("code", {}, part) : part)).filter(part => part !== "");
}

/** Have an element hold these children; when it does already, nothing is touched, so that focus and scroll stay. */
export function hold(element, children) {
  const there = element.children;
  if (there.length === children.length && children.every((child, at) => there[at] === child)) return;
  const focused = document.activeElement;
  element.replaceChildren(...children);
  if (element.contains(focused)) focused.focus({preventScroll: true});
}

/** Set text only where it differs: screen readers and selections are left in peace. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
