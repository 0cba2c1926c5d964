/** The look of the payer's page, light and dark; every pair of text and ground has a contrast of 4.5 or more. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f6f8; --surface: #fff; --line: #dbe1e8; --edge: #76828f;
  --text: #17202b; --muted: #55616f; --accent: #0f6b64; --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1319; --surface: #171e27; --line: #2a3441; --edge: #7d8b9a;
    --text: #e7ecf2; --muted: #a3afbd; --accent: #4fd1c1; --on-accent: #06231f;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { display: grid; gap: 16px; max-width: 680px; margin: 0 auto; padding: 24px 16px 64px }
h1 { margin: 0; font-size: 24px; line-height: 1.25 }
p { margin: 0 }
.muted { color: var(--muted) }
.card { display: grid; gap: 16px; padding: 20px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px }
label { display: grid; gap: 4px; font-weight: 600 }
label.check { display: flex; align-items: center; gap: 8px; font-weight: 400 }
textarea, input:not([type=checkbox]) {
  width: 100%; padding: 9px 12px; background: var(--surface); color: var(--text);
  border: 1px solid var(--edge); border-radius: 8px; font: 14px ui-monospace, monospace;
}
textarea { resize: vertical }
dl { display: grid; gap: 8px; margin: 0 }
dl:empty { display: none }
dl div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 12px }
dt { color: var(--muted) }
dd { margin: 0; overflow-wrap: anywhere }
button {
  justify-self: start; padding: 9px 20px; background: var(--accent); color: var(--on-accent);
  border: 1px solid var(--accent); border-radius: 8px; font: inherit; font-weight: 600; cursor: pointer;
}
button:disabled { background: var(--ground); color: var(--muted); border-color: var(--line); cursor: not-allowed }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
@media (max-width: 480px) { dl div { grid-template-columns: minmax(0, 1fr); gap: 0 } }
`;
