import { startSystem, type TestSystem } from '@payments/testing/system';
import { Secret, TOTP } from 'otpauth';
import { type PanelAnswer, type PanelClient, panelClient } from '../../administration/panel-client.ts';
import { type Person, password } from '../../administration/panel-people.ts';

export const page = '/panel/my-account';
export const step = '/panel/sign-in/second-factor';

/** The page and the codes that a person gets while a second factor is turned on. */
type Enrolled = {
  shown: PanelAnswer;
  sealed: string;
  secret: string;
  confirmed: PanelAnswer;
  codes: string[];
};

/** A sign-in of which the password is done. */
type Half = { answer: PanelAnswer; browser: PanelClient; give(code: string): Promise<PanelAnswer> };

/** The panel by a clock of its own, with people who have second factors. */
export type Factors = {
  system: TestSystem;
  now: () => Date;
  later(seconds: number): void;
  /** The code that an app shows at this moment. */
  codeOf(secret: string): string;
  enrol(person: Person): Promise<Enrolled>;
  half(person: Person, address?: string): Promise<Half>;
};

/** @param t is torn down with the system */
export async function openFactors(t: { teardown(end: () => Promise<void>): void }): Promise<Factors> {
  let time = new Date('2026-11-23T12:00:00Z');
  const now = () => time;
  const system = await startSystem({ dispatcher: false, now, env: { TRUST_PROXY: '127.0.0.1' } });
  t.teardown(system.stop);
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: time.getTime() });
  return {
    system,
    now,
    later: (seconds) => {
      time = new Date(time.getTime() + seconds * 1_000);
    },
    codeOf,
    enrol: async (person) => {
      const shown = await person.post(`${page}/second-factor`, { current: password }, page);
      const secret = /aria-label="Chave do segundo fator">([A-Z2-7]+)</.exec(shown.text)?.[1] ?? '';
      const sealed = /name="sealed" value="([\w-]+)"/.exec(shown.text)?.[1] ?? '';
      const fields = { sealed, code: codeOf(secret) };
      const confirmed = await person.post(`${page}/second-factor/confirm`, fields, page);
      const codes = [...confirmed.text.matchAll(/<li><code>([\w-]+)<\/code>/g)].map(([, code = '']) => code);
      return { shown, sealed, secret, confirmed, codes };
    },
    half: async (person, address = '198.51.100.1') => {
      const browser = panelClient(system.adminUrl, { 'x-forwarded-for': address });
      const answer = await browser.signInAs(person.email, password);
      return { answer, browser, give: (code) => browser.post(step, { code }, step) };
    },
  };
}
