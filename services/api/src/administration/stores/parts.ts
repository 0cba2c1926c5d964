import type { Store } from '@payments/database/stores/stores';
import { reaisFrom } from '@payments/domain/money';
import { may } from '@payments/domain/roles';
import { optionalEvents, tokenDeeds } from '@payments/domain/store-choices';
import type { Actor } from '../../access/actor.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import {
  type FieldError,
  fieldsOf,
  judgeBy,
  numberFrom,
  numberText,
  textOf,
  touchedIn,
} from '../kit/form-values.ts';
import { textField } from '../kit/forms.ts';
import { tabs } from '../kit/layout.ts';
import { activeBadge, copyable, testBadge } from '../kit/parts.ts';
import { linkTo } from '../kit/tables.ts';
import { NewStoreBody, StoreChangeBody } from './schemas.ts';

type Tab = 'summary' | 'store' | 'statement' | 'changes';

type Frame = { actor: Actor; current: Tab };

/** The frame of a store's profile: its name, its tabs and the current tab. */
export function profile(store: Store, { actor, current }: Frame, content: SafeHtml): SafeHtml {
  const isPlatform = actor.storeId === null;
  const path = `/panel/stores/${store.id}`;
  const all = [
    { name: 'summary', href: path, label: 'Perfil' },
    { name: 'store', href: `${path}/store`, label: 'Loja' },
    { name: 'statement', href: `${path}/statement`, label: 'Extrato' },
    ...(may(actor.role, 'readStoreRecord')
      ? [{ name: 'changes', href: `${path}/changes`, label: 'Auditoria' }]
      : []),
    ...(isPlatform ? lists(store) : []),
  ];
  return html`${isPlatform ? html`<p class="back"><a href="${linkTo('/panel/stores', kindIn(store.test))}">Lojas</a></p>` : nothing}
    <div class="title"><h1><span class="wrap">${store.name}</span> ${testBadge(store.test)}${activeBadge(store.active)}</h1>
      ${may(actor.role, 'createPayment') ? html`<a class="button primary" href="${path}/payments/new">Criar pagamento</a>` : nothing}</div>
    ${copyable('Identificador da loja', store.id)}
    ${tabs('Perfil da loja', all, current)}
    ${content}`;
}

/** The lists of every store, with this one chosen. */
const lists = ({ id, test }: Store) => [
  {
    name: 'payments',
    href: linkTo('/panel/payments', { storeId: id, ...kindIn(test) }),
    label: 'Pagamentos',
  },
  {
    name: 'deliveries',
    href: linkTo('/panel/deliveries', { storeId: id, ...kindIn(test) }),
    label: 'Entregas',
  },
];

const judgeNew = judgeBy(NewStoreBody);
const judgeChange = judgeBy(StoreChangeBody);

/** @returns the fields of a new store @throws ApiError 400 for the first wrong field */
export const readNewStore = (form: unknown) =>
  judgeNew({ ...bodyOf(form), ...(textOf(form, 'test') === 'on' && { test: true }) });

/** Fields of a store's forms that mean something only together: a fee's two parts, two bounds, deeds and their limit. */
const settingGroups = [
  ['feePercent', 'feeFixed'],
  ['maxAmount', 'reviewAbove'],
];
const choiceGroups = [[...tokenDeeds, 'refundLimitPerDay']];

/**
 * @param store the store now
 * @returns its fields as the form changes them
 * @throws ApiError 400 for the first wrong field, 409 for a form that is outdated
 */
export function readStoreChange(form: unknown, store: Store) {
  const { banks, ...body } = bodyOf(touchedIn(form, formOf(store), settingGroups));
  // An unchanged list may name a bank that is configured no more. It must not keep the other fields from being saved.
  const isSame = JSON.stringify(banks) === JSON.stringify(store.banks);
  return judgeChange(banks === undefined || isSame ? body : { ...body, banks });
}

/**
 * @param store the store now
 * @returns its choices: what is not ticked is off
 * @throws ApiError 400 for a wrong limit, 409 for a form that is outdated
 */
export function readChoices(form: unknown, store: Store) {
  const values = touchedIn(form, formOf(store), choiceGroups);
  const isOn = (name: string) => values[name] === 'on';
  return judgeChange({
    events: optionalEvents.filter(isOn),
    tokenMay: tokenDeeds.filter(isOn),
    refundLimitPerDay: numberFrom(textOf(values, 'refundLimitPerDay')),
  });
}

/** @returns the texts of a store's choices as they were typed: what was not ticked is empty */
export function typedChoices(form: unknown): Record<string, string> {
  const names = [...optionalEvents, ...tokenDeeds, 'refundLimitPerDay'];
  return Object.fromEntries(names.map((name) => [name, textOf(form, name)]));
}

function bodyOf(form: unknown) {
  const number = (name: string) => numberFrom(textOf(form, name));
  return {
    name: textOf(form, 'name'),
    feePercent: number('feePercent'),
    feeFixed: number('feeFixed'),
    maxAmount: number('maxAmount'),
    reviewAbove: number('reviewAbove'),
    ...(Object.hasOwn(form ?? {}, 'banks') && { banks: idsFrom(textOf(form, 'banks')) }),
  };
}

/** @returns ids from a text; null for none */
function idsFrom(text: string): string[] | null {
  return text === '' ? null : text.split(/[\s,;]+/).filter(Boolean);
}

/** The hidden field with a state that the page shows; null for nothing yet. Somebody else may change it meanwhile. */
export function stateField(name: string, state: string | null): SafeHtml {
  return html`<input type="hidden" name="${name}" value="${state ?? 'none'}">`;
}

/** @returns the state that the form's page showed; undefined if the form has none */
export function stateIn(form: unknown, name: string): string | null | undefined {
  const state = textOf(form, name);
  return state === 'none' ? null : state || undefined;
}

/** @returns a store's values for its forms */
export function formOf(store: Store): Record<string, string> {
  const reais = (centavos: number | null) => numberText(centavos === null ? null : reaisFrom(centavos));
  return {
    name: store.name,
    feePercent: numberText(store.feePpm === null ? null : store.feePpm / 10_000, 0),
    feeFixed: reais(store.feeFixed),
    maxAmount: reais(store.maxAmount),
    reviewAbove: reais(store.reviewAbove),
    banks: store.banks?.join(', ') ?? '',
    ...Object.fromEntries([...optionalEvents, ...tokenDeeds].map((name) => [name, ''])),
    ...Object.fromEntries([...store.events, ...store.tokenMay].map((name) => [name, 'on'])),
    refundLimitPerDay: reais(store.refundLimitPerDay),
  };
}

/**
 * The form fields of a store, with the typed values and the error.
 * @param banks ids of the configured banks; with a single one there is nothing to choose
 */
export function storeFields(
  values: Record<string, string>,
  banks: readonly string[],
  wrong?: FieldError,
): SafeHtml {
  const at = fieldsOf({ values, wrong });
  const reais = { prefix: 'R$', inputmode: 'decimal' } as const;
  return html`${textField({ ...at('name'), label: 'Nome', required: true })}
    <div class="fields">
      ${textField({ ...at('feePercent'), label: 'Taxa percentual', inputmode: 'decimal', suffix: '%', hint: 'De cada pagamento.' })}
      ${textField({ ...at('feeFixed'), label: 'Taxa fixa', ...reais, hint: 'Por pagamento, somada à percentual.' })}
      ${textField({ ...at('maxAmount'), label: 'Valor máximo', ...reais, hint: 'De um pagamento. Em branco: R$ 3.000,00.' })}
      ${textField({ ...at('reviewAbove'), label: 'Analisar a partir de', ...reais, hint: 'Pix deste valor ou mais vão para análise.' })}
    </div>
    ${banks.length > 1 || values.banks ? textField({ ...at('banks'), label: 'Bancos', hint: bankHint(banks) }) : nothing}`;
}

const bankHint = (banks: readonly string[]) =>
  `Em ordem de preferência, separados por vírgula. Em branco: todos (${banks.join(', ')}).`;
