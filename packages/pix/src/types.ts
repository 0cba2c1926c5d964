import type { PixRefused } from './errors.ts';
import type { Profile } from './profiles/profile.ts';
import type { UnusableFile } from './tls-files.ts';

/**
 * How a client reaches one PSP on behalf of one receiver. Times are milliseconds. Any number of clients may be in one
 * process: each has its own token, connections, breakers and pacing.
 */
export type PixClientOptions = {
  /** How the bank differs from the Central Bank's text. Default: not at all. */
  profile?: Profile;
  /** Base of the API Pix, for instance `https://pix.example.com/api/v2`; `/cob/{txid}` and the rest go below it. */
  url: string;
  /** The address of tokens. Default: the profile's. */
  tokenUrl?: string;
  clientId: string;
  /** Left out where the bank has none. */
  clientSecret?: string;
  /** The application's key (Banco do Brasil). */
  appKey?: string;
  /** The account, where an application has several (Inter). */
  account?: string;
  /** The most calls in a minute. Default: the profile's. */
  callsPerMinute?: number;
  /** Our Pix key (chave), which receives the money. */
  key: string;
  /** For a BR Code that we build ourselves, where the PSP only gives a `location`. */
  merchantName?: string;
  merchantCity?: string;
  tls?: TlsFiles;
  /** The longest an operation may take: token, repetition and body included. Default 5000. */
  timeoutMs?: number;
  now?: () => number;
  onCall?: (call: PixCall) => void;
  /** Called for a changed file of `tls` that can't be used. The old one stays in use. */
  onUnusableFile?: (error: UnusableFile) => void;
};

/**
 * PEM files, or certificate and key together as PKCS #12, which banks hand out. They are read again when they change, so
 * certificates rotate without a restart.
 */
export type TlsFiles = {
  certFile?: string;
  keyFile?: string;
  caFile?: string;
  p12File?: string;
  p12Password?: string;
};

/** One exchange with the PSP (a repetition is another one), for metrics and logs. Carries no secret. */
export type PixCall = {
  operation: string;
  outcome: 'ok' | 'refused' | 'unavailable' | 'short-circuited';
  durationMs: number;
  status?: number;
};

/** A charge (cobrança imediata) as the PSP shows it; `amount` in centavos. */
export type Charge = {
  txid: string;
  /** `ATIVA`, `CONCLUIDA`, `REMOVIDA_PELO_USUARIO_RECEBEDOR`, `REMOVIDA_PELO_PSP`; an expired charge stays `ATIVA`. */
  status: string;
  amount: number;
  /** When the PSP first registered it, which `expiresInSeconds` are counted from; null when the PSP left it out. */
  createdAt: Date | null;
  expiresInSeconds: number | null;
  /** The BR Code: the PSP's, or one built from `location`; null when the PSP gave neither, or one that is not this charge's. */
  copyAndPaste: string | null;
  /** The store that the charge names; null for a charge that does not carry our mark. */
  storeId: string | null;
  /** The receiver's Pix key (`chave`); null when the PSP left it out. */
  key: string | null;
  pix: ReceivedPix[];
  /** Pix that came for it and can't be read, where there are any. */
  oddPix?: UnreadablePix[];
};

/** A charge with a code that pays it. */
export type UsableCharge = Charge & { copyAndPaste: string };

/** A charge that was just registered. */
export type RegisteredCharge = UsableCharge & {
  /** Why the PSP took it only without what payers read, or without our mark (`storeId`), too; null if it took all. */
  refusedParts: PixRefused | null;
};

/** A Pix that arrived; `amount` in centavos. `key` is the receiver's, null when the PSP left it out. */
export type ReceivedPix = {
  endToEndId: string;
  txid: string | null;
  key: string | null;
  amount: number;
  paidAt: Date;
  /** The other meaning of `paidAt`, where the bank's time leaves its zone in doubt. */
  paidAtOtherwise?: Date;
  refunds: Refund[];
  /** Refunds that can't be read: what is left of the Pix is in doubt. */
  oddRefunds: number;
  /** When some of them were made or asked for, where the PSP gives a time that can be read. */
  oddRefundsAt?: Date[];
  /** True if one of them may have been made: it does not say that it is under way. */
  areOddMade?: true;
};

/** An entry of a list or a callback that can't be read. It may still name its charge, its Pix and their refunds. */
export type UnreadablePix = Pick<ReceivedPix, 'txid' | 'key'> &
  Partial<Pick<ReceivedPix, 'refunds' | 'oddRefunds' | 'areOddMade'>> & { endToEndId: string | null };

/** The entries of a list's page, or of a callback. */
export type PixEntries = { pix: ReceivedPix[]; unreadable: UnreadablePix[] };

/** A refund (devolução); `amount` in centavos. Only `DEVOLVIDO` and `NAO_REALIZADO` are final. */
export type Refund = {
  id: string;
  rtrId: string | null;
  amount: number;
  status: 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
  /** `ORIGINAL`, `RETIRADA`, or a bank's own: `MED_FRAUDE`, `MED_OPERACIONAL`, `MED_PIX_AUTOMATICO`. */
  nature: string | null;
  reason: string | null;
  /** When the bank ended it (`horario.liquidacao`); null if it gives no time. */
  settledAt: Date | null;
};

export type BreakerState = 'closed' | 'open' | 'half-open';
