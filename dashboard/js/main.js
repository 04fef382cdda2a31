/** Starts the page: words first, then the lists. */
import { preferred, remember, speak } from "./language.js";

const choice = document.querySelector("#language");
choice.value = preferred();
choice.addEventListener("change", () => {
  remember(choice.value);
  speak(choice.value);
});
await speak(choice.value);
await Promise.all([import("./run-list.js"), import("./paper-list.js")]);
