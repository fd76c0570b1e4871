"use strict";
// Progress of jobs, uploads, points of curves, roles by drag, and numbers as the reader writes them. Everything else
// is forms.

function localise(root) {
  const whole = new Intl.NumberFormat(navigator.language);
  const share = new Intl.NumberFormat(navigator.language, { style: "percent", maximumFractionDigits: 2 });
  root.querySelectorAll("data.n").forEach((each) => {
    const digits = (each.textContent.split(".")[1] || "").length;
    const form = digits
      ? new Intl.NumberFormat(navigator.language, { minimumFractionDigits: digits, maximumFractionDigits: digits })
      : whole;
    each.textContent = form.format(Number(each.value));
  });
  root.querySelectorAll("data.p").forEach((each) => { each.textContent = share.format(Number(each.value)); });
  root.querySelectorAll("[data-share]").forEach((each) => {
    each.textContent = (each.dataset.of || "") + share.format(Number(each.dataset.share));
  });
  const moment = new Intl.DateTimeFormat(navigator.language, { dateStyle: "medium", timeStyle: "short" });
  root.querySelectorAll("time").forEach((each) => { each.textContent = moment.format(new Date(each.dateTime)); });
}

// What was filled in and not sent: nobody loses it by a link, or because a job is over.
let unsaved = false;

function minds(form) {
  form.addEventListener("input", () => { unsaved = true; });
  form.addEventListener("submit", () => { unsaved = false; });
}

function watch(panel) {
  const events = new EventSource(panel.dataset.events);
  const says = panel.querySelector("[data-says]");
  const bar = panel.querySelector("progress");
  events.onmessage = (message) => {
    const job = JSON.parse(message.data);
    // Only what changed: a screen reader says it each time it is set.
    if (says.textContent !== job.says) says.textContent = job.says;
    panel.querySelector("[data-step]").textContent = job.step;
    panel.querySelector("[data-time]").textContent = job.time;
    if (job.share === null) bar.removeAttribute("value"); else bar.value = job.share;
    if (!["waiting", "running"].includes(job.state)) {
      events.close();
      if (unsaved) panel.querySelector("[data-then]").hidden = false; else location.reload();
    }
  };
}

async function upload(area, files) {
  const says = area.querySelector("[data-upload-says]");
  let kept = "";
  for (const file of files) {
    says.textContent = says.dataset.sending + " " + file.name;
    const answer = await fetch("/upload?name=" + encodeURIComponent(file.name), { method: "POST", body: file });
    const text = await answer.text();
    if (!answer.ok) {
      says.textContent = says.dataset.failed + " " + text;
      return;
    }
    kept = kept || text;
  }
  if (kept) location.assign("/data?file=" + encodeURIComponent(kept));
}

function takeFiles(area) {
  const field = area.querySelector("input[type=file]");
  field.addEventListener("change", () => upload(area, field.files));
  area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("over"); });
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    area.classList.remove("over");
    upload(area, event.dataTransfer.files);
  });
}

// Each column is a chip that can be dragged to its role; the select of the column is what is sent.
function dragRoles(board) {
  board.hidden = false;
  const zones = [...board.querySelectorAll("[data-role]")];
  const under = (event) => zones.find((zone) => {
    const box = zone.getBoundingClientRect();
    return event.clientX >= box.left && event.clientX < box.right && event.clientY >= box.top && event.clientY < box.bottom;
  });
  board.closest("form").querySelectorAll("select[name^=role-]").forEach((select) => {
    const chip = document.createElement("span");
    const place = () => zones.find((zone) => zone.dataset.role === select.value).append(chip);
    chip.className = "chip";
    chip.textContent = document.getElementById(select.getAttribute("aria-labelledby")).textContent;
    place();
    select.addEventListener("change", place);
    let start = null;
    const finish = (event) => {
      if (!start) return;
      const zone = event.type === "pointerup" ? under(event) : null;
      start = null;
      chip.style.transform = "";
      chip.classList.remove("held");
      zones.forEach((each) => each.classList.remove("over"));
      if (zone && zone.dataset.role !== select.value) {
        select.value = zone.dataset.role;
        select.dispatchEvent(new Event("input", { bubbles: true }));
        place();
      }
    };
    chip.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, y: event.clientY };
      chip.classList.add("held");
      chip.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    chip.addEventListener("pointermove", (event) => {
      if (!start) return;
      chip.style.transform = `translate(${event.clientX - start.x}px, ${event.clientY - start.y}px)`;
      zones.forEach((each) => each.classList.toggle("over", each === under(event)));
    });
    chip.addEventListener("pointerup", finish);
    chip.addEventListener("pointercancel", finish);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  localise(document);
  document.querySelectorAll("form[method=post]").forEach(minds);
  addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  document.querySelectorAll("[data-events]").forEach(watch);
  document.querySelectorAll("[data-upload]").forEach(takeFiles);
  document.querySelectorAll("[data-choose]").forEach((point) => point.addEventListener("click", () => {
    const row = document.querySelector('[data-point="' + point.dataset.choose + '"]');
    if (row) { row.checked = true; row.form.requestSubmit(); }
  }));
  document.querySelectorAll("[data-board]").forEach(dragRoles);
  const alert = document.querySelector("[role=alert]");
  const wrong = document.querySelector("[aria-invalid=true]");
  if (alert) alert.tabIndex = -1;
  if (alert || wrong) (wrong || alert).focus();
});
document.addEventListener("htmx:afterSwap", (event) => localise(event.target.parentElement || document));
