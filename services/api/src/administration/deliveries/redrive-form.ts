import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { alert } from '../kit/alert.ts';
import { momentField } from '../kit/fields.ts';
import { confirmation } from '../kit/forms.ts';

/** A form that sends all failed deliveries of the chosen store again. */
export function redriveForm(csrf: string, storeId: string, total: number): SafeHtml {
  const fields = html`<input type="hidden" name="storeId" value="${storeId}">
    ${momentField({ name: 'since', label: 'Criadas desde', hint: 'Horário de Brasília. Em branco: todas.' })}`;
  return html`<div class="bar">${confirmation(
    {
      csrf,
      action: '/panel/deliveries/redeliver',
      id: 'redrive',
      label: 'Enviar todas de novo',
      warning: `Até ${total.toLocaleString('pt-BR')} entregas que falharam, ${storeId ? 'desta loja' : 'de todas as lojas'}, serão enviadas de novo, aos poucos. Isto não pode ser desfeito.`,
      confirm: 'Enviar de novo',
      danger: false,
    },
    fields,
  )}</div>`;
}

/** @param count number of rescheduled deliveries, from the redirect's query */
export function redriven(count: unknown): SafeHtml {
  if (typeof count !== 'string' || !/^\d{1,6}$/.test(count)) return nothing;
  const text =
    count === '1' ? 'Uma entrega será enviada de novo.' : `${count} entregas serão enviadas de novo.`;
  return alert('done', text);
}
