// Narrows the list of patterns while one types. Without it the page shows them all.
(function () {
  const finder = document.getElementById("finder");
  const [words, severity, decided] = ["words", "severity", "decided"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("tr[data-words]")];
  function narrow() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits = wanted.every((word) => row.dataset.words.includes(word))
        && (!severity.value || row.dataset.severity === severity.value)
        && (!decided.value || row.dataset.decided === decided.value);
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const family of document.querySelectorAll("section.family")) {
      family.hidden = !family.querySelector("tr[data-words]:not([hidden])");
    }
    document.getElementById("shown").textContent = shown + " of " + rows.length + " patterns";
  }
  for (const control of [words, severity, decided]) control.addEventListener("input", narrow);
  finder.addEventListener("submit", (event) => event.preventDefault());
  finder.hidden = false;
  narrow();
})();
