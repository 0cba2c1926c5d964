import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { ShownBank } from '../banks/read-banks.ts';
import { alert } from '../kit/alert.ts';

const words = { failing: 'com falhas', paused: 'em pausa' } as const;

/** Names the banks that get no new charges now; nothing if all are well. */
export function bankAlert(banks: readonly ShownBank[]): SafeHtml {
  const away = banks.flatMap(({ id, state }) => (state === 'healthy' ? [] : [`${id} ${words[state]}`]));
  if (away.length === 0) return nothing;
  return alert(
    'warning',
    html`<strong>Bancos: ${away.join(', ')}.</strong> <a href="/panel/banks">Ver bancos</a>`,
  );
}
