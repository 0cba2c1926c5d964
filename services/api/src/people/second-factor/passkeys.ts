import { acceptAnswer, findPasskey, type Passkey } from '@payments/database/accounts/passkeys';
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import { type PostForm, postForm } from '../../administration/kit/forms.ts';
import type { PeopleContext } from '../../context.ts';
import { isUnstorable } from '../../http/readers.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { seal, unseal } from './actions.ts';

// Loaded at first use: a start should not wait for it.
const library = () => import('@simplewebauthn/server');

type Context = Pick<PeopleContext, 'adminUrl' | 'db' | 'now' | 'sealingKeys'>;

/** The question to the browser, as JSON, and the challenge that our own page hands back with the answer. */
export type Question = { options: string; sealed: string };

// Ed25519, ECDSA with P-256, and RSA, which all devices have among them (COSE's numbers).
const algorithms = [-8, -7, -257] as const;
const answerMs = 5 * 60_000;

/** Asks for a new passkey. The device asks for its own PIN or finger: a passkey is both factors. */
export async function askForNewPasskey(
  context: Context,
  account: { id: string; email: string; name: string },
  known: readonly Pick<Passkey, 'id'>[],
): Promise<Question> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'Pagamentos',
    rpID: new URL(context.adminUrl).hostname,
    userName: account.email,
    userDisplayName: account.name,
    userID: new TextEncoder().encode(account.id),
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return question(context, options, `new passkey of ${account.id}`);
}

/** @returns the new passkey, or undefined for an answer that is wrong, late or of another account's question */
export async function newPasskeyOf(
  context: Context,
  accountId: string,
  { answer, sealed }: { answer: string; sealed: string },
): Promise<WebAuthnCredential | undefined> {
  const asked = challengeIn(context, sealed, `new passkey of ${accountId}`);
  const response = parsed<RegistrationResponseJSON>(answer);
  if (!asked || !response) return undefined;
  const { verifyRegistrationResponse } = await library();
  // The library throws for most wrong answers.
  const supportedAlgorithmIDs = [...algorithms];
  const judged = { response, supportedAlgorithmIDs, ...expected(context, asked) };
  const verdict = await verifyRegistrationResponse(judged).catch(() => undefined);
  return verdict?.verified ? verdict.registrationInfo.credential : undefined;
}

/** An answer is good for the purpose that was asked for, and for no other. */
const signIn = 'sign-in';

/**
 * Asks for a passkey.
 * @param known the passkeys to choose from; without them any that the device has for us
 */
export async function askForPasskey(
  context: Context,
  { purpose = signIn, known = [] }: { purpose?: string; known?: readonly Pick<Passkey, 'id'>[] } = {},
): Promise<Question> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    rpID: new URL(context.adminUrl).hostname,
    userVerification: 'required',
    ...(known.length > 0 && { allowCredentials: known.map(({ id }) => ({ id })) }),
  });
  return question(context, options, purpose);
}

/** @returns the passkey of a right answer, which is accepted once */
export async function passkeyOf(
  context: Context,
  { answer, sealed }: { answer: string; sealed: string },
  purpose = signIn,
): Promise<Passkey | undefined> {
  const { db, now } = context;
  const asked = challengeIn(context, sealed, purpose);
  const response = parsed<AuthenticationResponseJSON>(answer);
  if (!asked || typeof response?.id !== 'string' || isUnstorable(response.id)) return undefined;
  const passkey = await findPasskey(db, response.id);
  if (!passkey) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const { id, publicKey, counter } = passkey;
  const credential = { id, publicKey: Uint8Array.from(publicKey), counter };
  const judged = { response, credential, ...expected(context, asked) };
  const verdict = await verifyAuthenticationResponse(judged).catch(() => undefined);
  if (!verdict?.verified) return undefined;
  const { newCounter } = verdict.authenticationInfo;
  const accepted = { counter: newCounter, issuedAt: asked.issuedAt, now: now() };
  return (await acceptAnswer(db, id, accepted)) ? passkey : undefined;
}

type Asked = { challenge: string; issuedAt: Date };

function expected({ adminUrl }: Context, { challenge }: Asked) {
  const { origin, hostname } = new URL(adminUrl);
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: true,
  };
}

function question({ now, sealingKeys }: Context, options: { challenge: string }, purpose: string): Question {
  const asked = Buffer.from(`${now().getTime()} ${options.challenge}`);
  return {
    options: JSON.stringify(options),
    sealed: seal(asked, purpose, sealingKeys).toString('base64url'),
  };
}

function challengeIn({ now, sealingKeys }: Context, sealed: string, purpose: string): Asked | undefined {
  const text = unseal(Buffer.from(sealed, 'base64url'), purpose, sealingKeys)?.toString();
  const [time, challenge] = text?.split(' ') ?? [];
  if (challenge === undefined || now().getTime() - Number(time) >= answerMs) return undefined;
  return { challenge, issuedAt: new Date(Number(time)) };
}

function parsed<Answer>(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** A form whose button asks the device for a passkey. It needs the page's script. */
export function passkeyForm(
  form: PostForm,
  { options, sealed, way, label }: Question & { way: 'create' | 'get'; label: string },
  fields: SafeHtml = nothing,
): SafeHtml {
  return postForm(
    form,
    html`${fields}<input type="hidden" name="sealed" value="${sealed}"><input type="hidden" name="answer">
      <p class="error" data-passkey-error hidden>O dispositivo não respondeu. Tente de novo.</p>
      <button class="button primary" data-passkey="${way}" data-options="${options}" disabled>${label}</button>`,
  );
}
