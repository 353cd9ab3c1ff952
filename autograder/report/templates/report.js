"use strict";
/* The page's own script: tables that sort, and the table students × checks, of which only the visible rows exist. */
(() => {
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
  const next = (heading) => (heading.getAttribute("aria-sort") === "descending" ? "ascending"
    : heading.getAttribute("aria-sort") === "ascending" ? "descending" : heading.dataset.first || "ascending");

  function mark(headings, heading, direction) {
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", direction);
  }

  /* --- plain tables ---------------------------------------------------------------------------------------------- */

  function valueOf(row, column) {
    const cell = row.cells[column];
    const words = cell.dataset.value ?? cell.textContent.trim();
    return words !== "" && Number.isFinite(Number(words)) ? Number(words) : words;
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.querySelector("button")?.addEventListener("click", () => {
      const direction = next(heading), sign = direction === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
      table.tBodies[0].append(...rows);
      mark(headings, heading, direction);
    }));
  }

  /* --- students × checks: the data -------------------------------------------------------------------------- */

  const data = JSON.parse(document.getElementById("data").textContent);
  const order = Object.keys(data.signs).join("");
  const frame = document.getElementById("grid-frame"), search = document.getElementById("search");
  const found = document.getElementById("found"), dialog = document.getElementById("detail");
  const first = 2 + data.exercises.length;                    // the column of the first check
  const width = first + data.columns.length;
  for (const row of data.rows) {
    row.tokens = [...row.groups, ...Object.values(row.mistakes).map((best) => best[0])];
    row.haystack = [row.name, row.status, ...row.groups, ...Object.values(row.mistakes).flat()].join(" ").toLowerCase();
  }
  const startsExercise = (index) => index === 0 || data.columns[index].exercise !== data.columns[index - 1].exercise;

  /* --- its frame ------------------------------------------------------------------------------------------------- */

  const body = element("tbody");
  const above = spacer(), below = spacer();
  const headings = [];
  let view = [...data.rows], rowHeight = 26, shown = new Map(), active = { row: 0, column: 0 };

  function spacer() {
    const cell = element("td", { colSpan: width });
    const row = element("tr", { className: "spacer" }, cell);
    row.setAttribute("aria-hidden", "true");
    return row;
  }

  function heading(label, key, className, descending) {
    const button = element("button", { type: "button" }, label);
    const made = element("th", { scope: "col", className }, button);
    if (descending) made.dataset.first = "descending";
    button.addEventListener("click", () => sort(made, key));
    headings.push(made);
    return made;
  }

  function head() {
    const groups = element("tr", {}, element("td", { colSpan: first, className: "corner" }));
    data.exercises.forEach((exercise, index) => {
      const colSpan = data.columns.filter((column) => column.exercise === index).length;
      if (colSpan) groups.append(element("th", { scope: "colgroup", colSpan }, exercise.name));
    });
    const columns = element("tr", {}, heading("student", (row) => row.name, "name"),
      heading("points", (row) => row.points ?? -1, "upright", true));
    data.exercises.forEach((exercise, index) => columns.append(
      heading(exercise.name, (row) => row.exercises[index] ?? -1, "upright", true)));
    data.columns.forEach((column, index) => {
      const made = heading(column.check, (row) => order.indexOf(row.codes[index]), startsExercise(index) ? "upright start" : "upright");
      made.title = column.title;
      columns.append(made);
    });
    return element("thead", {}, groups, columns);
  }

  function columns() {
    const made = element("colgroup", {}, element("col", { className: "name" }));
    for (let at = 1; at < width; at += 1) made.append(element("col", { className: at === 1 ? "points" : at < first ? "value" : "" }));
    return made;
  }

  function sort(made, key) {
    const direction = next(made), sign = direction === "ascending" ? 1 : -1;
    data.rows.sort((a, b) => sign * compare(key(a), key(b)));
    mark(headings, made, direction);
    filter();
  }

  /* "=word" is exactly the name of a group, or of the mistake that explains a student's answers best */
  const matches = (row, word) => (word.startsWith("=") && word.length > 1
    ? row.tokens.some((token) => token.toLowerCase() === word.slice(1)) : row.haystack.includes(word));

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    view = data.rows.filter((row) => words.every((word) => matches(row, word)));
    found.textContent = `${view.length} of ${data.rows.length} students`;
    table.setAttribute("aria-rowcount", view.length + 2);
    active = { row: 0, column: active.column };
    shown.forEach((row) => row.remove());
    shown.clear();
    frame.scrollTop = 0;
    draw();
  }

  /* --- the rows in view ------------------------------------------------------------------------------------------ */

  function cell(tag, row, column, properties, words) {
    const made = element(tag, { tabIndex: row === active.row && column === active.column ? 0 : -1, ...properties }, words);
    made.dataset.column = column;
    return made;
  }

  function draw_row(index) {
    const row = view[index];
    const name = cell("th", index, 0, { scope: "row", className: "name", title: row.name }, "");
    name.append(row.link ? element("a", { href: row.link, tabIndex: -1 }, row.name) : row.name);
    const made = element("tr", {}, name, cell("td", index, 1, { className: "value" }, row.points === null ? row.status : String(row.points) + marked(row, " ")));
    made.dataset.row = index;
    made.setAttribute("aria-rowindex", index + 3);
    row.exercises.forEach((points, at) => made.append(
      cell("td", index, 2 + at, { className: "value" }, points === null ? "–" : String(points))));
    for (let at = 0; at < data.columns.length; at += 1) {
      const [sign, word, colour] = data.signs[row.codes[at]];
      const one = cell("td", index, first + at, { className: startsExercise(at) ? `${colour} start` : colour }, sign);
      one.setAttribute("aria-label", word);
      made.append(one);
    }
    return made;
  }

  function draw() {
    const height = frame.clientHeight, top = Math.max(0, frame.scrollTop);
    const from = Math.max(0, Math.floor(top / rowHeight) - 8);
    const to = Math.min(view.length, Math.ceil((top + height) / rowHeight) + 8);
    const hadFocus = body.contains(document.activeElement);
    shown.forEach((row, index) => { if (index < from || index >= to) { row.remove(); shown.delete(index); } });
    let before = above;
    for (let index = from; index < to; index += 1) {
      if (!shown.has(index)) shown.set(index, draw_row(index));
      const row = shown.get(index);
      if (before.nextSibling !== row) before.after(row);
      before = row;
    }
    above.firstChild.style.height = `${from * rowHeight}px`;
    below.firstChild.style.height = `${(view.length - to) * rowHeight}px`;
    above.hidden = from === 0;
    below.hidden = to >= view.length;
    if (hadFocus && !body.contains(document.activeElement)) frame.focus({ preventScroll: true });
  }

  /* --- keyboard -------------------------------------------------------------------------------------------------- */

  const cellAt = ({ row, column }) => shown.get(row)?.cells[column];

  function move(row, column) {
    const old = cellAt(active);
    if (old) old.tabIndex = -1;
    active = { row: Math.min(view.length - 1, Math.max(0, row)), column: Math.min(width - 1, Math.max(0, column)) };
    if (active.row < 0) return;
    reveal(active.row);
    draw();
    const now = cellAt(active);
    now.tabIndex = 0;
    now.focus({ preventScroll: true });
    const pinned = frame.querySelector("tbody .name").offsetWidth;
    if (active.column && now.offsetLeft - frame.scrollLeft < pinned) frame.scrollLeft = now.offsetLeft - pinned;
    const over = now.offsetLeft + now.offsetWidth - frame.scrollLeft - frame.clientWidth;
    if (over > 0) frame.scrollLeft += over;
  }

  function reveal(row) {
    const high = table.tHead.offsetHeight, top = row * rowHeight;
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (top + rowHeight + high > frame.scrollTop + frame.clientHeight) {
      frame.scrollTop = top + rowHeight + high - frame.clientHeight;
    }
  }

  frame.addEventListener("keydown", (event) => {
    if (event.target.closest("thead") || event.altKey || event.metaKey) return;
    const { row, column } = active, far = event.ctrlKey;
    const page = Math.max(1, Math.floor((frame.clientHeight - table.tHead.offsetHeight) / rowHeight) - 1);
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], PageUp: [row - page, column], PageDown: [row + page, column],
      Home: [far ? 0 : row, 0], End: [far ? view.length - 1 : row, width - 1],
    };
    if (moves[event.key]) { event.preventDefault(); move(...moves[event.key]); }
    else if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(row, column); }
  });

  body.addEventListener("click", (event) => {
    const target = event.target.closest("[data-column]");
    if (!target || event.target.closest("a")) return;
    const row = Number(target.parentNode.dataset.row), column = Number(target.dataset.column);
    move(row, column);
    open(row, column);
  });

  /* --- what a check found ---------------------------------------------------------------------------------------- */

  function open(index, column) {
    const row = view[index];
    if (!row) return;
    if (column < first) column = -1; else column -= first;
    const content = column < 0 ? of_student(row) : of_check(row, column);
    document.getElementById("detail-title").textContent = row.name;
    if (row.link) content.push(element("p", {}, element("a", { href: row.link }, "The student's feedback page")));
    document.getElementById("detail-body").replaceChildren(...content);
    dialog.showModal();
  }

  const theirs = (tag, words, className = "") => element(tag, { lang: data.language, className }, words);
  const marked = (row, before) => row.mark === null ? "" : `${before}(${row.mark.toFixed(1)})`;
  const worth = (points, max) => `${points ?? "?"} of ${max}`;

  function of_student(row) {
    const lines = row.exercises.map((points, at) => element("li", {}, `${data.exercises[at].name}: ${worth(points, data.exercises[at].max)}`));
    return [element("p", {}, `${row.status}, ${row.points === null ? "no points" : `${row.points} points${marked(row, ", mark ")}`}`),
      element("ul", {}, ...lines), ...Object.keys(row.mistakes).flatMap((at) => explained(row, at))];
  }

  function of_check(row, at) {
    const column = data.columns[at], code = row.codes[at], [sign, word, colour] = data.signs[code];
    const points = row.worth[at] ?? ("psd".includes(code) ? column.max : "kb ".includes(code) ? null : 0);
    const says = row.says[at];
    return [element("p", { className: "soft" }, `${data.exercises[column.exercise].name} / ${column.check}`),
      theirs("p", column.title),
      element("p", {}, element("span", { className: `cell ${colour}` }, sign), ` ${word}, ${worth(points, column.max)}`),
      ...(says === undefined ? [] : [theirs("p", data.messages[says], "said")]),
      ..."psdh".includes(code) ? [] : explained(row, column.exercise)];
  }

  function explained(row, exercise) {
    return (row.mistakes[exercise] ?? []).slice(0, 3).flatMap((mistake) => [
      element("p", { className: "soft" }, `${data.exercises[exercise].name} looks like ${mistake}`),
      ...(data.hints[mistake] ? [theirs("p", `→ ${data.hints[mistake]}`)] : [])]);
  }

  /* --- on paper: a table for each exercise, since no paper is as wide as all checks -------------------------------- */

  const paper = document.getElementById("paper");

  function sheet(title, names, cells) {
    const upright = (name) => element("th", { scope: "col" }, element("span", { className: "upright" }, name));
    const head = element("tr", {}, element("th", { scope: "col" }, "student"), ...names.map(upright));
    const rows = view.map((row) => element("tr", {}, element("th", { scope: "row" }, row.name), ...cells(row)));
    return element("table", { className: "sheet" }, element("caption", {}, title), element("thead", {}, head),
      element("tbody", {}, ...rows));
  }

  function sheets() {
    const value = (words) => element("td", { className: "value" }, words);
    const checks = data.exercises.map((exercise, index) => [exercise, index,
      data.columns.flatMap((column, place) => (column.exercise === index ? [place] : []))]);
    return [
      sheet("points", ["points", ...data.exercises.map((exercise) => exercise.name)], (row) => [
        value(row.points === null ? row.status : String(row.points) + marked(row, " ")),
        ...row.exercises.map((points) => value(String(points ?? "–")))]),
      ...checks.filter(([, , places]) => places.length).map(([exercise, index, places]) => sheet(exercise.name,
        ["points", ...places.map((place) => data.columns[place].check)], (row) => [
          value(String(row.exercises[index] ?? "–")), ...places.map((place) => {
            const [sign, , colour] = data.signs[row.codes[place]];
            return element("td", { className: colour }, sign);
          })])),
    ];
  }

  /* --- begin ----------------------------------------------------------------------------------------------------- */

  body.append(above, below);
  const table = element("table", { id: "grid" }, element("caption", { className: "unseen" }, "Students × checks"),
    columns(), head(), body);
  table.style.setProperty("--values", data.exercises.length);
  table.style.setProperty("--checks", data.columns.length);
  table.setAttribute("role", "grid");
  table.setAttribute("aria-describedby", "how");
  table.setAttribute("aria-colcount", width);
  frame.append(table);
  document.getElementById("tools").hidden = false;
  mark(headings, headings[0], "ascending");
  filter();
  rowHeight = shown.get(0)?.getBoundingClientRect().height || rowHeight;
  filter();
  let waiting = false;
  const later = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } };
  frame.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", later);
  search.addEventListener("input", filter);
  for (const button of document.querySelectorAll("button.show")) {
    button.addEventListener("click", () => {
      search.value = button.dataset.search;
      filter();
      document.getElementById("table").scrollIntoView();
      search.focus({ preventScroll: true });
    });
  }
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((group) => { group.open = true; });
    paper.replaceChildren(...sheets());
  });
  window.addEventListener("afterprint", () => {
    opened.forEach((group) => { group.open = false; });
    paper.replaceChildren();
  });
})();
