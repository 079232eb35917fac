/** Where the stylesheet of the API reference is. */
export const DOCS_STYLE_PATH = "/docs.css";

/** The stylesheet of the API reference. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f1f3f5, #0f1115);
  --surface: light-dark(#fff, #171a20);
  --ink: light-dark(#14161b, #eceef2);
  --quiet: light-dark(#545b67, #a0a8b5);
  --line: light-dark(#d3d8de, #2a2f38);
  --magenta: light-dark(#b8005e, #ff5fae);
  --cyan: light-dark(#00678c, #45c5f0);
  --green: light-dark(#14663a, #63d297);
  --code: #12151b;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; text-size-adjust: none; -webkit-text-size-adjust: none; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 "Schibsted Grotesk", system-ui, sans-serif; }
h1, h2, h3, h4, p, ul, dl, dd, pre { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: inherit; text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { color: var(--magenta); }
:focus-visible { outline: 2px solid var(--cyan); outline-offset: 2px; }
code { font: .875em var(--mono); overflow-wrap: anywhere; }
.skip { position: absolute; top: -4rem; left: 1rem; padding: .5rem 1rem; background: var(--ink); color: var(--paper); }
.skip:focus { top: 1rem; }
body > header, .columns { max-width: 78rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 3rem); }
body > header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 2rem; padding-block: 1.25rem; }
.home { display: flex; align-items: center; gap: .6rem; font-weight: 700; font-size: 1.1rem; text-decoration: none; }
.home img { border-radius: 6px; }
body > header nav { display: flex; gap: 1.5rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2rem 4rem; padding-block: 1.5rem 6rem; }
.contents { font-size: .925rem; }
.contents h2 { margin-top: 1.25rem; font-size: .925rem; font-weight: 700; letter-spacing: 0; }
.contents h2:first-child { margin-top: 0; }
.contents a { text-decoration: none; }
.contents li { padding-block: .2rem; color: var(--quiet); line-height: 1.35; }
h1 { font-size: clamp(2.2rem, 1.6rem + 2.6vw, 3.6rem); font-weight: 780; letter-spacing: -.035em; line-height: 1.05; }
h2 { font-size: 1.7rem; font-weight: 750; letter-spacing: -.02em; line-height: 1.15; }
h3 { font-size: 1.3rem; font-weight: 720; letter-spacing: -.01em; line-height: 1.25; }
h4 { margin-top: 1.75rem; font-size: 1rem; font-weight: 700; }
.lead { max-width: 44rem; margin-top: 1rem; font-size: 1.125rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin-top: 1.5rem; }
@media (max-width: 30rem) { .facts { grid-template-columns: minmax(0, 1fr); } }
.facts dt { color: var(--quiet); }
main > section { margin-top: 4rem; }
main > section > p { max-width: 44rem; margin-top: .5rem; color: var(--quiet); }
article { margin-top: 1.5rem; padding: clamp(1rem, 3vw, 2rem); border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
article > p { max-width: 44rem; margin-top: .6rem; }
.address { font-size: 1.05rem; }
.method { font: 700 .78rem var(--mono); letter-spacing: .04em; color: var(--cyan); }
.method.post { color: var(--magenta); }
.code { margin-top: 1rem; padding: 1rem 1.2rem; overflow-x: auto; border-radius: 8px; background: var(--code); color: #dfe4ec; white-space: pre; line-height: 1.5; }
.code code { overflow-wrap: normal; }
.fields { margin-top: .75rem; }
.fields dt { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .9rem; padding-top: .7rem; border-top: 1px solid var(--line); }
.fields dt > code { font-weight: 700; }
.fields dt > span { color: var(--quiet); font-size: .875rem; }
.fields dt > strong { color: var(--magenta); font-size: .875rem; font-weight: 600; }
.fields dd { max-width: 46rem; padding-block: .15rem .75rem; }
.names { display: flex; flex-wrap: wrap; gap: .3rem .7rem; margin-bottom: .3rem; }
.answers { margin-top: .75rem; }
details { border-top: 1px solid var(--line); }
summary { padding-block: .6rem; cursor: pointer; }
details > p { max-width: 46rem; padding-block: .25rem; }
.type { margin-top: .75rem; color: var(--quiet); font-size: .875rem; }
.fields dt > .status, .status { font: 700 .875rem var(--mono); color: var(--quiet); }
.fields dt > .s2, .s2 { color: var(--green); }
.fields dt > .s4, .s4 { color: var(--magenta); }
.fields dt > .s5, .s5 { color: var(--cyan); }
@media (min-width: 62rem) {
  .columns { grid-template-columns: 15rem minmax(0, 1fr); }
  .contents { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
