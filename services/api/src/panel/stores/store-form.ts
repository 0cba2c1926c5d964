import type { Store } from '@payments/database/stores/stores';
import { reaisFrom } from '@payments/domain/money';
import { NewStoreBody, StoreChangeBody } from '../../admin/stores/store-fields.ts';
import { html, type SafeHtml } from '../../html.ts';
import { numberFrom, numberText, textOf } from '../forms/form-values.ts';
import type { FieldError } from '../forms/judge.ts';
import { judgeBy } from '../forms/judge.ts';
import { textField } from '../page/fields.ts';

const judgeNew = judgeBy(NewStoreBody);
const judgeChange = judgeBy(StoreChangeBody);

/** @returns the fields of a new store @throws ApiError 400 for the first wrong field */
export const readNewStore = (form: unknown) => judgeNew(bodyOf(form));

/** @returns the changed fields of a store @throws ApiError 400 for the first wrong field */
export const readStoreChange = (form: unknown) => judgeChange(bodyOf(form));

function bodyOf(form: unknown) {
  const number = (name: string) => numberFrom(textOf(form, name));
  return {
    name: textOf(form, 'name'),
    feePercent: number('feePercent'),
    feeFixed: number('feeFixed'),
    maxAmount: number('maxAmount'),
    reviewAbove: number('reviewAbove'),
  };
}

/** @returns a store's values for its form */
export function formOf(store: Store): Record<string, string> {
  const reais = (centavos: number | null) => numberText(centavos === null ? null : reaisFrom(centavos));
  return {
    name: store.name,
    feePercent: numberText(store.feePpm === null ? null : store.feePpm / 10_000, 0),
    feeFixed: reais(store.feeFixed),
    maxAmount: reais(store.maxAmount),
    reviewAbove: reais(store.reviewAbove),
  };
}

/** The form fields of a store, with the typed values and the error. */
export function storeFields(values: Record<string, string>, wrong?: FieldError): SafeHtml {
  const at = (name: string) => ({
    name,
    value: values[name],
    error: wrong?.field === name ? wrong.message : undefined,
  });
  const reais = { prefix: 'R$', inputmode: 'decimal' } as const;
  return html`${textField({ ...at('name'), label: 'Nome', required: true })}
    <div class="fields">
      ${textField({ ...at('feePercent'), label: 'Taxa percentual', inputmode: 'decimal', suffix: '%', hint: 'De cada pagamento.' })}
      ${textField({ ...at('feeFixed'), label: 'Taxa fixa', ...reais, hint: 'Por pagamento, somada à percentual.' })}
      ${textField({ ...at('maxAmount'), label: 'Valor máximo', ...reais, hint: 'De um pagamento. Em branco: R$ 3.000,00.' })}
      ${textField({ ...at('reviewAbove'), label: 'Analisar a partir de', ...reais, hint: 'Pix deste valor ou mais vão para análise.' })}
    </div>`;
}
