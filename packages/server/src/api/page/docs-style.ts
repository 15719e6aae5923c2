// The look of the reference page: light and dark, on a desk, on a phone and on paper.

/** Of every page. */
export const colours = `
:root {
  color-scheme: light dark;
  --page: #fff; --side: #f6f8f9; --raised: #f3f6f7; --line: #dfe5e8; --faint: #edf1f2;
  --text: #1d272c; --quiet: #55646c; --accent: #0b6270; --mark: #e2f1f3;
  --green: #17683c; --green-back: #e2f3e8; --blue: #1a55a8; --blue-back: #e3edfa;
  --amber: #7d4e00; --amber-back: #faeed3; --red: #a8261d; --red-back: #fbe6e3;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #12181b; --side: #161e22; --raised: #1a2327; --line: #2c393f; --faint: #222d32;
    --text: #dbe4e8; --quiet: #9bacb5; --accent: #6cc7d5; --mark: #17343a;
    --green: #7fd6a2; --green-back: #16351f; --blue: #92bdf7; --blue-back: #172f52;
    --amber: #edc06a; --amber-back: #3a2c0d; --red: #f5a097; --red-back: #451c19;
  }
}
`;

const basics = `
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI',
  Roboto, 'Noto Sans', sans-serif; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:focus-visible, summary:focus-visible, input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px;
  border-radius: 3px; }
code, pre, .path, .code-name { font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', Consolas, 'DejaVu Sans Mono',
  monospace; font-size: 0.875em; overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 0.5rem; letter-spacing: -0.015em; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; letter-spacing: -0.01em; }
h3 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 0.5rem; }
h4 { font-size: 0.8125rem; margin: 1.5rem 0 0.5rem; color: var(--quiet); }
p { margin: 0 0 0.5rem; }
ul { margin: 0; padding: 0; list-style: none; }
.self { color: inherit; text-decoration: none; }
.self:hover::after { content: ' #'; color: var(--accent); }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 3; padding: 0.5rem 1rem; background: var(--page); }
.method { display: inline-block; min-width: 4.1rem; padding: 0.1rem 0.35rem; border-radius: 4px; text-align: center;
  font-size: 0.75rem; font-weight: 700; letter-spacing: 0.02em; color: var(--quiet); background: var(--faint); }
.get, .s2 { color: var(--green); background: var(--green-back); }
.post, .s3 { color: var(--blue); background: var(--blue-back); }
.put, .s4 { color: var(--amber); background: var(--amber-back); }
.delete, .s5 { color: var(--red); background: var(--red-back); }
.status { display: inline-block; padding: 0 0.35rem; border-radius: 4px; font-size: 0.75rem; font-weight: 700;
  font-variant-numeric: tabular-nums; }
.path var { font-style: normal; color: var(--accent); }
`;

const frame = `
.bar { display: none; }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 0.75rem 2rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: 0.875rem; overscroll-behavior: contain; scrollbar-width: thin; }
nav:focus { outline: none; }
nav .close { display: none; }
.brand { color: inherit; font-weight: 700; text-decoration: none; }
.brand span { font-weight: 400; color: var(--quiet); }
nav .brand { display: block; margin: 0 0.4rem 0.75rem; font-size: 1rem; }
.filter label { position: absolute; left: -999rem; }
.filter input { width: 100%; padding: 0.4rem 0.6rem; font: inherit; color: var(--text); background: var(--page);
  border: 1px solid var(--line); border-radius: 6px; }
.filter input::placeholder { color: var(--quiet); opacity: 1; }
.area { margin-top: 1.25rem; }
.area:not(:has(details:not([hidden]))) { display: none; }
.area-name { margin: 0 0.4rem 0.25rem; color: var(--quiet); font-size: 0.8125rem; }
nav summary { padding: 0.25rem 0.4rem; font-weight: 600; cursor: pointer; border-radius: 5px; }
nav summary::marker { color: var(--quiet); font-size: 0.8em; }
nav ul { margin: 0 0 0.5rem; }
nav li a { display: flex; gap: 0.4rem; padding: 0.22rem 0.4rem; border-radius: 5px; color: var(--text);
  text-decoration: none; line-height: 1.35; }
nav li a:hover, nav summary:hover { background: var(--mark); }
nav .method { flex: none; align-self: start; min-width: 3.1rem; padding: 0.1rem 0; font-size: 0.625rem; }
main { padding: 2.75rem clamp(1.25rem, 3vw, 3.5rem) 6rem; max-width: 86rem; }
.lead { font-size: 1.125rem; }
.about { color: var(--quiet); font-size: 0.875rem; }
.conventions { display: grid; grid-template-columns: max-content minmax(0, 42rem); gap: 0.5rem 1.5rem;
  margin: 1.75rem 0 0; font-size: 0.9375rem; }
dt { font-weight: 600; }
dd { margin: 0; }
.group { margin-top: 4rem; padding-top: 2.5rem; border-top: 2px solid var(--line); }
.group > p, .group > pre { max-width: 46rem; }
.list { padding: 0.5rem; background: var(--raised); border-radius: 8px; }
.list a { display: flex; gap: 0.75rem; align-items: baseline; padding: 0.25rem 0.5rem; border-radius: 5px;
  color: inherit; text-decoration: none; }
.list a:hover { background: var(--mark); }
.list .method, .endpoint .method { flex: none; }
.list .path { flex: 1 1 0; }
.list .says { flex: 1 1 0; color: var(--quiet); font-size: 0.875rem; }
`;

const entries = `
article { position: relative; margin-top: 2.75rem; }
.operation + .operation { padding-top: 2.75rem; border-top: 1px solid var(--line); scroll-margin-top: -2rem; }
article:target::before { content: ''; position: absolute; inset: 0 auto 0 -1rem; width: 3px; border-radius: 2px;
  background: var(--accent); }
.operation + .operation:target::before { top: 2.75rem; }
.endpoint { display: flex; gap: 0.75rem; align-items: baseline; font-size: 1rem; }
.columns { display: grid; gap: 0 2.5rem; grid-template-columns: minmax(0, 1fr); }
.example { order: -1; }
.facts > h4:first-child, .example > h4:first-child { margin-top: 1rem; }
.facts { font-size: 0.9375rem; }
.code { margin: 0; padding: 0.85rem 1rem; border-radius: 8px; background: var(--raised); border: 1px solid var(--line);
  font-size: 0.78125rem; line-height: 1.6; white-space: pre-wrap; }
.code code { font-size: inherit; }
.command { user-select: all; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; line-height: 1.45; }
th, td { padding: 0.5rem 1rem 0.5rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--faint); }
thead th { padding: 0 1rem 0.35rem 0; border: 0; color: var(--quiet); font-size: 0.75rem; font-weight: 400; }
.fields { table-layout: fixed; }
.fields th:first-child, .fields th:nth-child(2) { width: 28%; }
.fields tbody th code { font-size: 0.8125rem; }
tbody th { font-weight: 600; }
.before { color: var(--quiet); font-weight: 400; }
.required, .in { display: inline-block; font-size: 0.75rem; font-weight: 400; color: var(--quiet); }
.required { color: var(--red); }
.bounds { color: var(--quiet); font-size: 0.8125rem; }
.note { margin-top: 0.5rem; color: var(--quiet); font-size: 0.8125rem; }
.answer { margin-bottom: 0.1rem; }
.media { margin: 0 0 0.35rem; }
details > summary { cursor: pointer; }
.facts details { margin: 0.25rem 0 0.5rem; font-size: 0.875rem; }
.facts summary { color: var(--accent); width: fit-content; }
.facts details table { margin-top: 0.5rem; }
.problems li { padding: 0.15rem 0; font-size: 0.875rem; }
.problems span:last-child { color: var(--quiet); }
.catalogue { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0 2.5rem; }
.problem { margin-top: 2rem; }
.problem h3 { font-size: 1rem; margin-bottom: 0.15rem; }
.schema { max-width: 60rem; }
`;

const documents = `
.document { margin-top: 0; max-width: 52rem; }
.document h2 { margin: 2.5rem 0 0.75rem; }
.document h3 { margin: 1.75rem 0 0.5rem; }
.document > p, .document pre, .document table, .document > ul, .document ol { margin: 0 0 1rem; }
.document ul, .document ol { padding-left: 1.4rem; }
.document ul { list-style: disc; }
.document li { margin-bottom: 0.35rem; }
.document td code, .document th code { overflow-wrap: break-word; }
.guide { font-size: 0.8125rem; }
.within { color: var(--quiet); }
`;

const widths = `
@media (min-width: 78rem) {
  .columns { grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr); }
  .example { order: 0; position: sticky; top: 1.5rem; align-self: start; }
}
@media (max-width: 56rem) {
  html { scroll-padding-top: 4rem; }
  .frame { display: block; }
  .bar { position: sticky; top: 0; z-index: 1; display: flex; justify-content: space-between; align-items: center;
    padding: 0.6rem 1.25rem; background: var(--page); border-bottom: 1px solid var(--line); }
  nav { display: none; font-size: 1rem; }
  nav:target { display: block; position: fixed; inset: 0; z-index: 2; height: auto; border: 0; }
  nav:target .close { display: block; float: right; margin: 0 0.4rem; }
  nav li a { padding: 0.4rem; }
  main { padding-top: 2rem; }
  .conventions { grid-template-columns: minmax(0, 1fr); gap: 0.1rem; }
  .conventions dt { margin-top: 0.75rem; }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.625rem; }
  .fields thead { position: absolute; left: -999rem; }
  .fields tr { display: block; padding: 0.6rem 0; border-top: 1px solid var(--faint); }
  .fields tbody th, .fields td { display: block; width: auto; padding: 0; border: 0; }
  .fields tbody th:first-child { width: auto; }
  .list a, .endpoint { gap: 0.5rem; }
  .list .says { display: none; }
}
@media print {
  :root { --page: #fff; --raised: #fff; --text: #000; --quiet: #444; --accent: #000; --line: #bbb; --faint: #ddd; }
  nav, .bar, .skip { display: none; }
  .frame, .columns { display: block; }
  .example { position: static; }
  main { max-width: none; padding: 0; }
  h2, h3, h4, .endpoint { break-after: avoid; }
  tr, pre, .problem { break-inside: avoid; }
}
`;

export const docsStyle = [colours, basics, frame, entries, documents, widths].join('');
