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
  const rest = (payment: { email: string | null; observation: string | null }) =>
    withoutPerson(payment, email);
  t.strictSame(rest({ email: 'MARIA@exemplo.com.br', observation: 'x' }), { email: null, observation: null });
  const mentioned = { email: 'joao@exemplo.com.br', observation: `para ${email}` };
  t.strictSame(rest(mentioned), { email: 'joao@exemplo.com.br', observation: null });
  const another = { email: 'joao@exemplo.com.br', observation: 'para Ana' };
  t.equal(rest(another), another);
});

t.equal(withoutEmails('pediu joão.silva+1@exemplo.com.br, duas vezes'), 'pediu [e-mail], duas vezes');
t.equal(withoutEmails('R$ 10 @ caixa'), 'R$ 10 @ caixa');
