import { defaultBank } from '@payments/pix/bank-settings';
import type { BankAccount } from '@payments/pix/banks';
import { bacen } from '@payments/pix/profiles/bacen';
import { call } from '@payments/testing/http';

/** The banks of a world of two; a world of one has the first. */
export const bankIds: readonly string[] = [defaultBank, 'second'];

/** An entry `id` of the configuration, behind the front; `account` is the one that it reaches, its own if not given. */
export type AccountAt = { id: string; url: string; key: string; account?: string };

/** @returns the accounts in this order, as the services' configuration would have them */
export function accountsOf(places: readonly AccountAt[]): BankAccount[] {
  return places.map(({ id, url, key, account = id }) => {
    const options = { ...credentialsOf(account), url, key, timeoutMs: 30_000, profile: bacen };
    return { id, options, callbackUrl: null };
  });
}

/** A bank refuses requests that are meant for the other. */
export const credentialsOf = (id: string) =>
  id === defaultBank
    ? { clientId: 'client', clientSecret: 'secret' }
    : { clientId: `client-${id}`, clientSecret: `secret-${id}` };

/** The facts about money, in the bank's view and in the service's. Amounts are centavos, times epoch milliseconds. */
export type ReturnState = 'asked' | 'under way' | 'made' | 'refused';

export type Return = { id: string; by: 'service' | 'bank'; state: ReturnState; amount: number };

/** `bank` is the one that it arrived at. */
export type Pix = { id: string; bank: string; amount: number; paidAt: number; returns: Return[] };

/** A charge at a bank; without a code if the bank has none. `entries` are its Pix as the bank writes them. */
export type Charge = {
  bank: string;
  status: string;
  expiresAt: number;
  code: string;
  pix: Pix[];
  entries: readonly Entry[];
};

/** A Pix as a bank writes it. */
export type Entry = Readonly<Record<string, unknown>>;

const alive: readonly ReturnState[] = ['asked', 'under way', 'made'];

export const isAlive = ({ state }: Return) => alive.includes(state);
export const isMade = ({ state }: Return) => state === 'made';
export const isOurs = ({ by }: Return) => by === 'service';

export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** @returns the sum of the selected returns of a Pix */
export function returned({ returns }: Pix, which: (one: Return) => boolean): number {
  return sumOf(returns.filter(which).map(({ amount }) => amount));
}

export function centavos(reais: number | string): number {
  return Math.round(Number(reais) * 100);
}

export function reais(amount: number): string {
  return (amount / 100).toFixed(2);
}

/** A bank's own side, without the service. */
export type Bank = ReturnType<typeof bankAt>;

export type Faults = Record<string, unknown>;

/** A return that the bank starts. */
export type Med = { endToEndId: string; amount: number; slowMs: number; refused: boolean };

/** @param key limits it to the charges of this Pix key, where an account has several */
export function bankAt(id: string, url: string, key?: string) {
  const post = async (path: string, body: unknown) => {
    const answer = await call(url + path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  let current: Faults = {};
  const faults = async (named: Faults) => {
    current = named;
    await post('/bank/faults', {});
    await post('/bank/faults', { dropCallbacks: true, ...named });
  };
  return {
    id,
    /** With an empty code, if the bank has no such charge. */
    charge: async (txid: string): Promise<Charge> => {
      const { status, body } = await call(`${url}/bank/charges/${txid}`);
      if (status === 404 || (key && body.chave !== key))
        return { bank: id, status: 'none', expiresAt: 0, code: '', pix: [], entries: [] };
      return chargeFrom(id, body);
    },
    pay: (code: string, amount: number) => post('/bank/pay', { pixCopiaECola: code, valor: reais(amount) }),
    advance: (seconds: number) => post('/bank/clock', { advanceSeconds: seconds }),
    faults,
    /** Whether its reads may lack what it has. */
    lies: () => lies.some((name) => name in current),
    med: async ({ endToEndId, amount, slowMs, refused }: Med) => {
      await post('/bank/refunds', { endToEndId, valor: reais(amount), slowMs, refused });
    },
  };
}

/** The faults that let reads show less than the bank has. */
export const lies = ['lagSeconds', 'hide', 'oddAmounts', 'withoutRefundIds'];

/** @returns the same account for another of its keys: clock and faults are one */
export function withKey(bank: Bank, id: string, url: string, key: string): Bank {
  const { faults, lies } = bank;
  return { ...bankAt(id, url, key), faults, lies, advance: async () => {} };
}

type Answer = Record<string, unknown>;

/** @param body a charge from `GET /cob` or `GET /bank/charges` */
export function chargeFrom(bank: string, body: Answer): Charge {
  const { status, expiraEm, pixCopiaECola, pix = [] } = body as Answer & { pix?: Entry[] };
  const expiresAt = Date.parse(String(expiraEm));
  return {
    bank,
    status: String(status),
    expiresAt,
    code: String(pixCopiaECola),
    pix: pix.map((one) => pixFrom(bank, one)),
    entries: pix,
  };
}

export function pixFrom(bank: string, one: Entry): Pix {
  const returns = ((one.devolucoes ?? []) as Answer[]).map(returnFrom);
  const paidAt = Date.parse(String(one.horario));
  return { id: String(one.endToEndId), bank, amount: centavos(String(one.valor)), paidAt, returns };
}

const stateOf: Record<string, ReturnState> = {
  EM_PROCESSAMENTO: 'under way',
  DEVOLVIDO: 'made',
  NAO_REALIZADO: 'refused',
};

export function returnFrom({ id, natureza, status, valor }: Answer): Return {
  const by = natureza === 'ORIGINAL' ? 'service' : 'bank';
  return { id: String(id), by, state: stateOf[String(status)]!, amount: centavos(String(valor)) };
}
