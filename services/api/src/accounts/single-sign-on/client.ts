import type { Configuration } from 'openid-client';
import type { Claims } from './person.ts';
import type { SingleSignOn } from './settings.ts';

// Loaded at first use: a start should not wait for it.
const library = () => import('openid-client');

/** What proves that an answer of the issuer belongs to the browser that asked (RFC 7636, OpenID Connect Core §3.1.2.1). */
export type Proof = { state: string; nonce: string; verifier: string };

export type SingleSignOnClient = {
  /** @returns the issuer's address to send the browser to */
  begin(redirectUri: string): Promise<{ url: URL; proof: Proof }>;
  /**
   * @param answer our own address, as the issuer called it
   * @throws if the answer is forged, has expired, or the issuer can't be asked
   */
  finish(answer: URL, proof: Proof): Promise<Claims>;
};

const timeoutSeconds = 5;

/** Speaks the authorization code flow with PKCE, state and nonce. */
export function singleSignOnClient(settings: SingleSignOn): SingleSignOnClient {
  let discovered: Promise<Configuration> | undefined;
  const configuration = () => {
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    begin: async (redirectUri) => {
      const client = await library();
      const verifier = client.randomPKCECodeVerifier();
      const proof = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: settings.scope,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: proof.state,
        nonce: proof.nonce,
      });
      return { url, proof };
    },
    finish: async (answer, { state, nonce, verifier }) => {
      const client = await library();
      const config = await configuration();
      const tokens = await client.authorizationCodeGrant(config, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many issuers say e-mail and groups only here.
      if (!config.serverMetadata().userinfo_endpoint) return { ...claims };
      const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return { ...more, ...claims };
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: SingleSignOn): Promise<Configuration> {
  const client = await library();
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const options = { execute, timeout: timeoutSeconds };
  return client.discovery(issuer, clientId, clientSecret, undefined, options);
}
