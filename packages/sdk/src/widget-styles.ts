/** The widget's style sheet. It does not affect the page, nor does the page affect it. */
export const widgetStyles = `
:host { all: initial; }
[hidden], :host([hidden]) { display: none !important; }
dialog {
  --accent: var(--lodge-accent, #2257c5);
  --text: #1b1f27; --faint: #596070; --ground: #fff; --line: #8a91a0;
  box-sizing: border-box; width: min(30rem, 100vw - 1rem); max-height: calc(100dvh - 1rem); overflow: auto;
  scroll-padding-bottom: 5rem; margin: auto; padding: 1.25rem 1.25rem 0; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  dialog {
    --accent: var(--lodge-accent, #8fb4ff);
    --text: #eceff5; --faint: #a9b1c2; --ground: #1a1d24; --line: #737b8c;
  }
}
dialog::backdrop { background: rgb(0 0 0 / .5); }
form { display: grid; gap: .5rem; }
h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
label { font-weight: 600; }
textarea, select, button, .button {
  box-sizing: border-box; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; min-height: 2.75rem;
}
textarea { resize: vertical; width: 100%; }
select option { color: #1b1f27; background: #fff; }
button, .button { cursor: pointer; font-weight: 600; }
button:disabled { opacity: .6; cursor: default; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--ground); }
.button { position: relative; display: inline-flex; align-items: center; }
.button input { position: absolute; inset: 0; opacity: 0; cursor: pointer; font-size: 0; }
:focus-visible, .button:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .25rem; }
.end { justify-content: flex-end; }
.foot { position: sticky; bottom: 0; align-items: center; margin: 0; padding: .75rem 0 1.25rem; background: var(--ground); }
.foot p { flex: 1; min-height: 0; }
.foot p:not(:empty) { flex-basis: 100%; }
figure { margin: .25rem 0; }
canvas { display: block; box-sizing: border-box; max-width: 100%; max-height: 40dvh; margin: 0 auto; border: 1px solid var(--line); cursor: crosshair; touch-action: none; }
figcaption { color: var(--faint); font-size: .875rem; }
p { margin: 0; min-height: 1.5rem; }
summary { cursor: pointer; font-weight: 600; padding: .5rem 0; }
.answers { margin-bottom: .75rem; border-bottom: 1px solid var(--line); }
section + section { border-top: 1px solid var(--line); }
section { padding: .5rem 0; }
ol { list-style: none; margin: 0 0 .5rem; padding: 0; display: grid; gap: .5rem; }
li { border-inline-start: 3px solid var(--line); padding-inline-start: .75rem; }
li.team { border-color: var(--accent); }
li span { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
li small { color: var(--faint); font-size: .875rem; }
.news { color: var(--accent); }
time { color: var(--faint); font-size: .875rem; margin-inline-start: .5rem; }
`;
