// Questions to the server. Every answer is plain data.

/** The answer as data; an error that holds the server's sentence otherwise. */
export async function ask(path, query = {}) {
  const known = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const text = new URLSearchParams(known.map(([key, value]) => [key, String(value)])).toString();
  const answer = await fetch(`/api/${path}${text ? `?${text}` : ""}`, {headers: {Accept: "application/json"}});
  const kind = answer.headers.get("Content-Type") ?? "";
  const found = kind.startsWith("application/json") ? await answer.json() : {trouble: (await answer.text()).trim()};
  if (!answer.ok) throw new Error(found.trouble || `The server answered ${answer.status}.`);
  return found;
}

/** Bytes from their text form. */
export function bytes(text) {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}
