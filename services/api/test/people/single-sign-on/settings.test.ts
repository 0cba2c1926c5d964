import t from 'tap';
import { personOf, singleSignOnOf } from '../../../src/people/single-sign-on/client.ts';

const scopes = { OIDC_SCOPE: 'openid', OIDC_ROLE_CLAIM: 'groups' };
const client = { OIDC_CLIENT_ID: 'panel', OIDC_CLIENT_SECRET: 'secret' };
const good = { ...scopes, ...client, OIDC_ISSUER: 'https://login.example' };

t.test('settings', async (t) => {
  t.equal(singleSignOnOf(scopes), undefined);
  const roles = (OIDC_ROLES: string) => [...(singleSignOnOf({ ...good, OIDC_ROLES })?.roles ?? [])];
  t.strictSame(roles('a=owner, b = viewer,'), [
    ['a', 'owner'],
    ['b', 'viewer'],
  ]);
  t.strictSame(roles('cn=pagamentos=finance'), [['cn=pagamentos', 'finance']]);
  t.strictSame(roles('{"a, b": "operator"}'), [['a, b', 'operator']]);
  t.strictSame(roles(''), []);
  const wrong: [object, RegExp][] = [
    [{ ...good, OIDC_CLIENT_ID: undefined }, /^OIDC_CLIENT_ID /],
    [{ ...good, OIDC_CLIENT_SECRET: undefined }, /^OIDC_CLIENT_SECRET /],
    [{ ...good, OIDC_ISSUER: 'http://login.example' }, /^OIDC_ISSUER /],
    [{ ...good, OIDC_ISSUER: 'login' }, /^OIDC_ISSUER /],
    [{ ...good, OIDC_ISSUER: 'ftp://localhost' }, /^OIDC_ISSUER /],
    [{ ...good, OIDC_ROLES: 'a=owner,viewer' }, /^OIDC_ROLES: "viewer" is not group=role$/],
    [{ ...good, OIDC_ROLES: '=owner' }, /^OIDC_ROLES: "=owner" is not group=role$/],
    [{ ...good, OIDC_ROLES: 'a=king' }, /^OIDC_ROLES: "king"/],
    [{ ...good, OIDC_ROLES: 'a=store_admin' }, /^OIDC_ROLES: "store_admin"/],
    [{ ...good, OIDC_ROLES: '{"a"' }, /^OIDC_ROLES /],
  ];
  for (const [settings, message] of wrong)
    t.throws(() => singleSignOnOf(settings as typeof good), { name: 'ConfigurationError', message });
  t.ok(singleSignOnOf({ ...good, OIDC_ISSUER: 'http://localhost:4000/realms/x' }));
});

t.test('the strongest role of all groups; only a verified e-mail', async (t) => {
  const settings = singleSignOnOf({ ...good, OIDC_ROLES: 'a=viewer,b=owner,c=finance' })!;
  const role = (groups: unknown) => personOf({ sub: 's', groups }, settings).role;
  t.equal(role(['a', 'c']), 'finance');
  t.equal(role(['c', 'b', 'a']), 'owner');
  t.equal(role('a'), 'viewer');
  for (const groups of [undefined, null, [], ['x'], {}, 7]) t.equal(role(groups), undefined);
  const email = (claims: object) => personOf({ sub: 's', ...claims }, settings).email;
  t.equal(email({ email: 'a@b.example', email_verified: true }), 'a@b.example');
  for (const email_verified of [false, undefined, 'true', 1])
    t.equal(email({ email: 'a@b.example', email_verified }), undefined);
});
