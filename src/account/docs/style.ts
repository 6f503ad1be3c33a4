/** The style sheet. It has logical properties only, so that it serves both directions. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #faf9f6; --card: #ffffff; --sunk: #f2f0eb; --line: #e6e3dc; --text: #1c2526; --quiet: #566264; --accent: #0e6f66; --accent-soft: #e6f1ef;
  --get: #1f6f43; --post: #20539c; --patch: #8a5300; --delete: #a8322a; --code: #2b3440;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #111719; --card: #182022; --sunk: #131a1c; --line: #273132; --text: #e8ebe9; --quiet: #a3aeac; --accent: #46b7a8; --accent-soft: #173230;
    --get: #6fcf97; --post: #7fb2f5; --patch: #e6b566; --delete: #f28b82; --code: #d5dee6;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-behavior: smooth; scroll-padding-block-start: 1rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.75 Vazirmatn, "Vazirmatn RD", system-ui, "Segoe UI", "Noto Sans Arabic", "Noto Naskh Arabic", Tahoma, sans-serif; overflow-wrap: break-word; }
:lang(en) { line-height: 1.6; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", Vazirmatn, monospace; }
code { direction: ltr; unicode-bidi: isolate; font-size: .88em; color: var(--code); overflow-wrap: anywhere; }
p code, dd code, .note code { background: var(--sunk); padding: .1em .35em; border-radius: 5px; }
pre { direction: ltr; text-align: left; margin: 0; background: var(--sunk); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1rem; overflow-x: auto; line-height: 1.55; unicode-bidi: isolate; }
pre code { overflow-wrap: normal; white-space: pre; font-size: .84rem; }
.frame { position: relative; }
.frame button { position: absolute; inset-block-start: .45rem; right: .45rem; font: inherit; font-size: .75rem; line-height: 1.4; padding: .15rem .6rem; color: var(--quiet); background: var(--card); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
.frame button:hover { color: var(--accent); border-color: var(--accent); }
.skip { position: absolute; inset-inline-start: 1rem; inset-block-start: -4rem; background: var(--card); padding: .5rem 1rem; border-radius: 8px; }
.skip:focus { inset-block-start: 1rem; z-index: 2; }
header, .columns, .bar { max-inline-size: 76rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2.5rem); }
.bar { padding-block: .75rem; }
.home { display: inline-flex; align-items: center; gap: .5rem; color: inherit; font-weight: 600; text-decoration: none; }
.home::before { content: ""; inline-size: .65em; block-size: .65em; background: var(--accent); transform: rotate(45deg); border-radius: 2px; }
.home:hover { color: var(--accent); }
header { padding-block: clamp(1rem, 3vw, 2rem) 1.25rem; border-block-end: 1px solid var(--line); }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; }
h1 { margin: 0; font-size: clamp(1.6rem, 4vw, 2.3rem); line-height: 1.4; font-weight: 750; }
.lead { max-inline-size: 44rem; margin-block: .75rem 1rem; color: var(--quiet); font-size: 1.06rem; }
.language { border: 1px solid var(--line); background: var(--card); border-radius: 99px; padding: .2rem 1rem; text-decoration: none; }
.language:hover { border-color: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: 0 0 .25rem; font-size: .92rem; }
.facts div { display: flex; flex-wrap: wrap; gap: .5em; align-items: baseline; min-inline-size: 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; min-inline-size: 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3rem; padding-block-end: 5rem; }
nav { padding-block: 1rem; font-size: .92rem; border-block-end: 1px solid var(--line); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav .group, nav .chapters li { display: inline-block; margin: 0; margin-inline-end: 1rem; }
nav .routes { display: none; }
#filter { inline-size: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .45rem .9rem; margin-block-end: .75rem; }
main { min-inline-size: 0; padding-block: 1.75rem; }
h2 { font-size: 1.35rem; line-height: 1.5; margin-block: 2.75rem .6rem; font-weight: 700; }
.convention h2 { font-size: 1.12rem; margin-block: 1.9rem .3rem; }
.first h2 { margin-block-start: 0; }
.convention p { max-inline-size: 46rem; margin-block: .4rem .6rem; }
main > h2 { border-block-start: 1px solid var(--line); padding-block-start: 2rem; }
.capability h2 { margin-block-start: 1.9rem; color: var(--accent); font-size: 1.2rem; }
main > h2 + p + .capability h2 { margin-block-start: .5rem; }
.route { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(.9rem, 3vw, 1.5rem); margin-block: 1rem; scroll-margin-block-start: 1rem; }
.route:target { border-color: var(--accent); }
h3 { margin: 0; font-size: 1.02rem; font-weight: 600; }
h3 a { color: inherit; text-decoration: none; display: flex; flex-wrap: wrap; gap: .6em; align-items: center; }
html[dir=rtl] h3 a { direction: ltr; justify-content: flex-end; flex-direction: row; }
h3 .path { font-size: 1.02rem; }
h3 a:hover .path { text-decoration: underline; }
h4 { margin-block: 1.35rem .35rem; font-size: .86rem; color: var(--quiet); font-weight: 700; }
.method { font: 700 .72rem/1.6 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; letter-spacing: .03em; color: var(--quiet); border: 1px solid; border-radius: 6px; padding: .05rem .45rem; direction: ltr; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.summary { margin-block: .55rem .7rem; font-size: 1.06rem; }
.fields { list-style: none; margin: 0; padding: 0; }
.fields > li { border-block-start: 1px solid var(--line); padding-block: .5rem; }
.fields > li:first-child { border-block-start: 0; }
.field { margin: 0; display: flex; flex-wrap: wrap; gap: .1rem .65rem; align-items: baseline; font-size: .92rem; }
.field .name { font-weight: 650; font-size: .92rem; background: none; padding: 0; color: var(--text); }
.type, .bound { color: var(--quiet); }
.bound { font-size: .86rem; }
.required { color: var(--delete); font-size: .82rem; font-weight: 600; }
.reply .required { display: none; }
.meaning { margin: .1rem 0 0; font-size: .95rem; max-inline-size: 44rem; }
html[dir=rtl] .meaning[dir=ltr] { text-align: right; }
details { margin-block: .35rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .88rem; padding-block: .15rem; inline-size: fit-content; max-inline-size: 100%; }
summary code { color: inherit; }
details > .fields, details > .shape { border-inline-start: 2px solid var(--line); padding-inline-start: clamp(.6rem, 2.5vw, 1.1rem); margin-block-start: .3rem; }
.shape + .shape { border-block-start: 1px solid var(--line); }
.shape { padding-block: .35rem; }
.variant { margin: 0; font-size: .88rem; color: var(--quiet); }
var { font-style: normal; color: var(--quiet); unicode-bidi: isolate; }
.shape .fields { padding-inline-start: .75rem; }
.note { font-size: .92rem; color: var(--quiet); margin-block: .5rem 0; }
.codes { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
.codes a { display: inline-flex; gap: .5em; align-items: baseline; direction: ltr; border: 1px solid var(--line); border-radius: 8px; padding: .1rem .55rem; text-decoration: none; font-size: .84rem; }
.codes a:hover { border-color: var(--accent); }
.status { font: 700 .8rem/1.6 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--quiet); }
.errors > div { border-block-start: 1px solid var(--line); padding-block: .6rem; scroll-margin-block-start: 1rem; }
.errors > div:target { background: var(--accent-soft); border-radius: 8px; padding-inline: .75rem; }
.errors dt { display: flex; flex-wrap: wrap; gap: .6em; align-items: baseline; }
.errors dt code { font-weight: 650; }
.errors dd { margin: .15rem 0 0; max-inline-size: 46rem; }
/* Where a line is as wide as the window, the button stands above the first one and not upon it. */
@media (max-width: 59.99rem) { .frame pre { padding-top: 2.5rem; } }
@media (min-width: 60rem) {
  .columns { grid-template-columns: 18rem minmax(0, 1fr); }
  nav { position: sticky; inset-block-start: 0; max-block-size: 100vh; overflow-y: auto; align-self: start; padding-block: 1.75rem; border: 0; scrollbar-width: thin; }
  nav .group, nav .chapters li { display: block; margin: 0; }
  nav .group { margin-block: 1rem .25rem; font-weight: 700; }
  nav .routes { display: block; }
  nav .routes a { display: flex; gap: .5em; align-items: baseline; color: var(--text); padding-block: .12rem; }
  html[dir=rtl] nav .routes a { flex-direction: row; justify-content: flex-end; text-align: right; }
  nav .routes code { font-size: .8rem; }
  nav .routes .method { font-size: .62rem; padding: 0 .3rem; }
}
@media print { nav, .skip, .frame button, .language { display: none; } .route { break-inside: avoid-page; } }
`
