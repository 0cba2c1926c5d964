import { openJournal } from './journal.ts';

export type ChargeStatus = 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | 'REMOVIDA_PELO_PSP';

/** The receiver's request, as the API Pix spells it; kept to be shown again. */
export type ChargeTerms = {
  calendario: { expiracao: number };
  valor: { original: string; modalidadeAlteracao?: number };
  chave: string;
  /** The location to use; read once, not kept. */
  loc?: { id: number };
  devedor?: { cpf?: string; cnpj?: string };
  solicitacaoPagador?: string;
  infoAdicionais?: unknown[];
};

/** Times are milliseconds of the bank's clock, amounts centavos. */
export type StoredCharge = {
  txid: string;
  terms: ChargeTerms;
  createdAt: number;
  revision: number;
  status: ChargeStatus;
  locationId: number;
  location: string;
};

export type RefundStatus = 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';

export type StoredRefund = {
  id: string;
  rtrId: string;
  amount: number;
  nature: string;
  description: string | null;
  requestedAt: number;
  status: RefundStatus;
  /** How it will end, and when. */
  outcome: 'DEVOLVIDO' | 'NAO_REALIZADO';
  settlesAt: number;
  reason: string | null;
};

export type StoredPix = {
  endToEndId: string;
  txid: string;
  key: string;
  amount: number;
  paidAt: number;
  /** Every refund of this Pix ends as NAO_REALIZADO. */
  refusesRefunds?: boolean;
  refunds: StoredRefund[];
};

/** A place for a charge's payload. `txid` is null while no charge has it. */
export type StoredLocation = { id: number; location: string; createdAt: number; txid: string | null };

export type StoredWebhook = { key: string; url: string; createdAt: number };

/** A line of the journal. */
export type Entry =
  | { charge: StoredCharge }
  | { location: StoredLocation }
  | { pix: StoredPix }
  | { webhook: StoredWebhook }
  | { webhookRemoved: string };

/** All that the bank knows. `save` changes memory and journal together. */
export interface Ledger {
  readonly charges: ReadonlyMap<string, StoredCharge>;
  readonly pix: ReadonlyMap<string, StoredPix>;
  readonly webhooks: ReadonlyMap<string, StoredWebhook>;
  readonly locations: ReadonlyMap<number, StoredLocation>;
  /** A charge as a revision had it; undefined for a revision that never was. */
  revision(txid: string, number: number): StoredCharge | undefined;
  nextLocationId(): number;
  chargeAt(location: string): StoredCharge | undefined;
  pixOf(txid: string): StoredPix[];
  /** Pix of a range of time, ordered by the minute. It must be fast for a few minutes among weeks. */
  pixBetween(from: number, to: number): StoredPix[];
  /** Pix with a refund still EM_PROCESSAMENTO. */
  unsettled(): StoredPix[];
  save(entry: Entry): void;
  close(): void;
}

export function openLedger(file: string | undefined): Ledger {
  const charges = new Map<string, StoredCharge>();
  const earlier = new Map<string, StoredCharge[]>();
  const locations = new Map<number, StoredLocation>();
  const byLocation = new Map<string, string>();
  const pix = new Map<string, StoredPix>();
  const byTxid = new Map<string, string[]>();
  const byMinute = new Map<number, string[]>();
  const unsettled = new Map<string, StoredPix>();
  const webhooks = new Map<string, StoredWebhook>();

  let lastLocationId = 0;
  const place = (location: StoredLocation) => {
    lastLocationId = Math.max(lastLocationId, location.id);
    locations.set(location.id, location);
    if (location.txid === null) byLocation.delete(tokenOf(location.location));
    else byLocation.set(tokenOf(location.location), location.txid);
  };
  const apply = (entry: Entry) => {
    if ('charge' in entry) {
      const { txid, revision, locationId: id, location, createdAt } = entry.charge;
      const before = charges.get(txid);
      if (before && before.revision < revision) addTo(earlier, txid, before);
      charges.set(txid, entry.charge);
      // A location that was unlinked stays so, whatever becomes of the charge.
      if (!locations.has(id)) place({ id, location, createdAt, txid });
    } else if ('location' in entry) {
      place(entry.location);
    } else if ('pix' in entry) {
      const { endToEndId, txid, paidAt } = entry.pix;
      if (!pix.has(endToEndId)) {
        addTo(byTxid, txid, endToEndId);
        addTo(byMinute, minuteOf(paidAt), endToEndId);
      }
      pix.set(endToEndId, entry.pix);
      unsettled.delete(endToEndId);
      if (entry.pix.refunds.some(isOpen)) unsettled.set(endToEndId, entry.pix);
    } else if ('webhook' in entry) {
      webhooks.set(entry.webhook.key, entry.webhook);
    } else {
      webhooks.delete(entry.webhookRemoved);
    }
  };
  const journal = openJournal(file, (entry) => apply(entry as Entry));

  return {
    charges,
    pix,
    webhooks,
    locations,
    revision: (txid, number) =>
      [charges.get(txid), ...(earlier.get(txid) ?? [])].find((charge) => charge?.revision === number),
    nextLocationId: () => lastLocationId + 1,
    chargeAt: (location) => charges.get(byLocation.get(tokenOf(location)) ?? ''),
    pixOf: (txid) => (byTxid.get(txid) ?? []).flatMap((id) => pix.get(id) ?? []),
    pixBetween: (from, to) =>
      [...byMinute.keys()]
        .filter((minute) => minute >= minuteOf(from) && minute <= minuteOf(to))
        .sort((a, b) => a - b)
        .flatMap((minute) => (byMinute.get(minute) ?? []).flatMap((id) => pix.get(id) ?? []))
        .filter(({ paidAt }) => paidAt >= from && paidAt <= to),
    unsettled: () => [...unsettled.values()],
    save(entry) {
      journal.append(entry);
      apply(entry);
    },
    close: () => journal.close(),
  };
}

function addTo<Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void {
  const list = lists.get(key);
  if (list) list.push(one);
  else lists.set(key, [one]);
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000);
}

function isOpen(refund: StoredRefund): boolean {
  return refund.status === 'EM_PROCESSAMENTO';
}

/** Only the end of a location names its charge: the bank's own address may change. */
function tokenOf(location: string): string {
  return location.slice(location.lastIndexOf('/') + 1);
}
