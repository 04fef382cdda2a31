/** The words of the page in the chosen language: `?lang=`, else what was chosen before, else what the browser prefers. */
const TAGS = { en: "en", ja: "ja", zh: "zh-Hans" };
const MEMORY = "reprise.language";
let words = {};
let current = "en";

export const text = (key) => words[key] ?? key;
export const language = () => current;
export const tag = () => TAGS[current];

export function preferred() {
  const asked = [new URLSearchParams(location.search).get("lang"), remembered(), ...navigator.languages];
  return asked.map((name) => (name ?? "").slice(0, 2).toLowerCase()).find((name) => name in TAGS) ?? "en";
}

/** Loads the catalogue, writes it into every element with `data-text`, and tells the page by the event `language`. */
export async function speak(name) {
  const response = await fetch(`/i18n/${name}.json`);
  words = await response.json();
  current = name;
  document.documentElement.lang = TAGS[name];
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  document.title = `${text("title")} · Reprise`;
  document.dispatchEvent(new CustomEvent("language"));
}

export function remember(name) {
  try {
    localStorage.setItem(MEMORY, name);
  } catch {
    // Storage is off: the choice holds until the page is left.
  }
}

function remembered() {
  try {
    return localStorage.getItem(MEMORY);
  } catch {
    return null;
  }
}
