import t from 'tap';
import { namesPerson, urlWithoutPerson, withoutEmails, withoutPerson } from '../src/personal-data.ts';

const texts: [text: string | null, isNamed: boolean][] = [
  ['maria@exemplo.com.br', true],
  ['MARIA@Exemplo.COM.br', true],
  ['pedido de maria@exemplo.com.br.', true],
  ['<maria@exemplo.com.br>, 2 livros', true],
  ['email=maria@exemplo.com.br;pedido=7', true],
  ["'maria@exemplo.com.br'", true],
  ['cliente/maria@exemplo.com.br', true],
  ['pedido-7-maria@exemplo.com.br', true],
  ['ana+maria@exemplo.com.br', false],
  ['joãomaria@exemplo.com.br', false],
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
  const joao = { email: 'joao@exemplo.com.br', observation: 'para Ana', reference: '7', webhookUrl: null };
  const rest = (fields: Partial<typeof joao>) => withoutPerson({ ...joao, ...fields }, email);
  const nothing = { email: null, observation: null, webhookUrl: null };
  t.strictSame(rest({ email: 'MARIA@exemplo.com.br' }), { ...nothing, reference: '7' });
  t.strictSame(rest({ email, reference: email }), { ...nothing, reference: null });
  t.strictSame(rest({ observation: `para ${email}` }), { ...joao, observation: null });
  t.strictSame(rest({ reference: `7 ${email}` }), { ...joao, reference: null });
  t.equal(withoutPerson(joao, email), joao);
  const webhookUrl = `https://loja.example/?cliente=${email}`;
  t.strictSame(withoutPerson({ ...joao, webhookUrl }, email), {
    ...joao,
    webhookUrl: 'https://loja.example/?cliente=',
  });
});

const urls: [url: string, rest: string][] = [
  ['https://loja.example/w?c=Maria%2B1%40exemplo.com.br&p=7', 'https://loja.example/w?c=&p=7'],
  ['https://loja.example/w?c=maria+1@exemplo.com.br#7', 'https://loja.example/w?c=#7'],
  ['https://loja.example/maria+1@exemplo.com.br/7', 'https://loja.example//7'],
  [
    'https://loja.example/w?c=ana.maria%2B1%40exemplo.com.br',
    'https://loja.example/w?c=ana.maria%2B1%40exemplo.com.br',
  ],
];
for (const [url, rest] of urls) t.equal(urlWithoutPerson(url, 'maria+1@exemplo.com.br'), rest);

t.equal(withoutEmails('pediu joão.silva+1@exemplo.com.br, duas vezes'), 'pediu [e-mail], duas vezes');
t.equal(withoutEmails('R$ 10 @ caixa'), 'R$ 10 @ caixa');
