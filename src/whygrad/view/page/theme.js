// Light, dark, or as the system says.

import {$} from "./elements.js";
import {isDark} from "./canvas.js";

/** `again` draws everything in the new colours. */
export function startTheme(again) {
  $("theme-button").addEventListener("click", () => turnTheme(again));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

export function turnTheme(again) {
  const wanted = isDark() ? "light" : "dark", system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  if (wanted === system) {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("whygrad-theme");
  } else {
    document.documentElement.dataset.theme = wanted;
    localStorage.setItem("whygrad-theme", wanted);
  }
  again();
}
