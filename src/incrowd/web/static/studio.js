// Copy buttons, and files that are dropped on the page. Everything else is links, forms and htmx.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const lines = [...button.closest("figure").querySelectorAll("code")].map((code) => code.textContent.trim());
  await navigator.clipboard.writeText(lines.join("\n")).catch(() => {});
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});

const place = document.getElementById("drop");
if (place) {
  const words = document.getElementById("dropped");
  const tell = (text, wrong = false) => {
    words.textContent = text;
    words.classList.toggle("err", wrong);
  };
  const send = async (file) => {
    if (!file) return;
    if (file.size > 1e6 * Number(place.dataset.most)) {
      tell(`This file is larger than ${place.dataset.most} MB; copy it into the folder instead.`, true);
      return;
    }
    tell("Copying the file");
    const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    const told = await answer.json().catch(() => ({ problem: "The file was refused." }));
    if (answer.ok) location.assign(`/data?source=${encodeURIComponent(told.path)}`);
    else tell(told.problem, true);
  };
  document.getElementById("pick").addEventListener("change", (event) => send(event.target.files[0]));
  for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    place.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.toggle("over", over);
      if (name === "drop") send(event.dataTransfer.files[0]);
    });
  }
}
