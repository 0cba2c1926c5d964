import t from 'tap';
import { namesPerson, withoutEmails, withoutPerson } from '../src/personal-data.ts';

const texts: [text: string | null, isNamed: boolean][] = [
  ['maria@exemplo.com.br', true],
  ['MARIA@Exemplo.COM.br', true],
  ['pedido de maria@exemplo.com.br.', true],
  ['<maria@exemplo.com.br>, 2 livros', true],
  ['ana.maria@exemplo.com.br', false],
  ['anamaria@exemplo.com.br', false],
  ['maria@exemplo.com.brasil', false],
  ['maria@exemplo.com.br.net', false],
  ['maria@exemplo-com.br', false],
  ['', false],
  [null, false],
];
for (const [text, isNamed] of texts)
  t.equal(namesPerson(text, 'Maria@exemplo.com.br'), isNamed, String(text));

t.test('what remains of a payment', async (t) => {
  const email = 'maria@exemplo.com.br';
  const joao = { email: 'joao@exemplo.com.br', observation: 'para Ana', reference: '7' };
  const rest = (fields: Partial<typeof joao>) => withoutPerson({ ...joao, ...fields }, email);
  const nothing = { email: null, observation: null };
  t.strictSame(rest({ email: 'MARIA@exemplo.com.br' }), { ...nothing, reference: '7' });
  t.strictSame(rest({ email, reference: email }), { ...nothing, reference: null });
  t.strictSame(rest({ observation: `para ${email}` }), { ...joao, observation: null });
  t.strictSame(rest({ reference: `7 ${email}` }), { ...joao, reference: null });
  t.equal(withoutPerson(joao, email), joao);
});

t.equal(withoutEmails('pediu joão.silva+1@exemplo.com.br, duas vezes'), 'pediu [e-mail], duas vezes');
t.equal(withoutEmails('R$ 10 @ caixa'), 'R$ 10 @ caixa');
