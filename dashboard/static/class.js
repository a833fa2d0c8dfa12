// Prints the page. Loaded on pages with cards alone.
"use strict";

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) window.print();
});
