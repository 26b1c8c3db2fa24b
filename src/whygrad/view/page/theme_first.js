// Before the first paint, so that a chosen theme does not flash. What was chosen stays in this browser.
const chosen = localStorage.getItem("whygrad-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
