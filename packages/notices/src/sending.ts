import type { Collected } from './kinds.ts';

/** The words of a letter or of a post to a chat. */
export type Rendered = {
  subject: string;
  text: string;
  html: string;
  /** The page of the panel where a person can act; null where nothing is to be done. Notices always have one. */
  url: string | null;
};

/** The surroundings that the words need to know beside the notices. */
export type Surroundings = {
  /** Where the panel is, without a slash at its end. */
  panelUrl: string;
  reviewTimeoutSeconds: number;
  /** Names of the stores that the notices concern, by id. */
  storeNames: ReadonlyMap<string, string>;
};

/** Renders what was collected. Pure. */
export type Render = (collected: Collected, surroundings: Surroundings) => Rendered;

/** A letter as it leaves. `id` makes its Message-ID, so that a repeated letter is known as the same. */
export type Letter = { id: string; to: string; subject: string; text: string; html: string };

/** Why a letter or a post did not arrive. */
export type SendError = {
  code:
    | 'refused'
    | 'unreachable'
    | 'timeout'
    | 'tls'
    | 'authentication'
    | 'connection_lost'
    | 'answered'
    | 'too_late'
    | 'unopenable';
  /** The server's code, such as `550 5.1.1` or `503`; never its words, which may repeat an address. */
  detail?: string;
};

/**
 * How a try ended.
 * - `refused`: for good; another try would end the same way (5xx to this recipient, or to this text).
 * - `not_sent`: it surely did not arrive, and may be tried again. `server` is true if no other letter would arrive either.
 * - `unknown`: it may have arrived; it is tried again under the same id.
 */
export type SendResult =
  | { state: 'sent' }
  | { state: 'refused'; error: SendError }
  | { state: 'not_sent'; error: SendError; server: boolean }
  | { state: 'unknown'; error: SendError };

export interface LetterSender {
  /** Makes one try, within a deadline of its own that covers everything. It never rejects. */
  send(letter: Letter): Promise<SendResult>;
  /** Gives the tries in flight a few seconds more, and gives up what is left of them. */
  close(): Promise<void>;
}
