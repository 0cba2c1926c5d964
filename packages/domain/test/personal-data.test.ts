import t from 'tap';
import {
  hasTexts,
  namesPerson,
  urlWithoutPerson,
  withoutEmails,
  withoutPerson,
  withoutTexts,
} from '../src/personal-data.ts';

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
  ['joãmaria@exemplo.com.br', false],
  ['ana.maria@exemplo.com.br', false],
  ['anamaria@exemplo.com.br', false],
  ['maria@exemplo.com.brasil', false],
  ['maria@exemplo.com.br.net', false],
  ['maria@exemplo-com.br', false],
  ['maria%40exemplo.com.br', true],
  ['Maria%2540Exemplo.com.br', true],
  ['cliente%3Dmaria%40exemplo.com.br', true],
  ['cliente%253Dmaria%2540exemplo.com.br', true],
  ['%6Daria%40exemplo%2Ecom.br', true],
  ['%4DARIA%40exemplo%2Ecom.br', true],
  ['ana%2Bmaria%40exemplo.com.br', false],
  ['ana%2Emaria%40exemplo.com.br', false],
  ['ana%40maria%40exemplo.com', false],
  ['', false],
  [null, false],
];
for (const [text, isNamed] of texts)
  t.equal(namesPerson(text, 'Maria@exemplo.com.br'), isNamed, String(text));

t.equal(namesPerson('cliente jo%C3%A3o@exemplo.com.br', 'joão@exemplo.com.br'), true);
t.equal(namesPerson('cliente jo%C3%83O@exemplo.com.br', 'joão@exemplo.com.br'), true, 'in capitals');

t.test('an accent is a part of its letter, or a character of its own', async (t) => {
  const [whole, apart] = ['joão@exemplo.com.br'.normalize('NFC'), 'joão@exemplo.com.br'.normalize('NFD')];
  for (const [text, email] of [
    [apart, whole],
    [whole, apart],
    [apart.toUpperCase(), whole],
    [`de ${encodeURIComponent(apart)}`, whole],
    [`de ${encodeURIComponent(whole)}`, apart],
  ] as const) {
    t.equal(namesPerson(text, email), true, `${text} for ${email}`);
    t.equal(urlWithoutPerson(`https://loja.example/?c=${text}&p`, email).includes('exemplo'), false, text);
  }
  t.equal(namesPerson(`joa\u0303${whole}`, whole), false, 'a longer one');
  const payment = { email: apart, observation: 'x', description: null, reference: null, webhookUrl: null };
  t.match(withoutPerson(payment, whole), { email: null, observation: null });
});

t.test('what remains of a payment', async (t) => {
  const email = 'maria@exemplo.com.br';
  const joao = {
    ...{ email: 'joao@exemplo.com.br', observation: 'para Ana', description: 'Livro de Ana' },
    ...{ reference: '7', webhookUrl: null },
  };
  const rest = (fields: Partial<typeof joao>) => withoutPerson({ ...joao, ...fields }, email);
  const nothing = { email: null, observation: null, description: null, webhookUrl: null };
  t.strictSame(rest({ email: 'MARIA@exemplo.com.br' }), { ...nothing, reference: '7' });
  t.strictSame(rest({ email, reference: email }), { ...nothing, reference: null });
  t.strictSame(rest({ observation: `para ${email}` }), { ...joao, observation: null });
  t.strictSame(rest({ description: `para ${email}` }), { ...joao, description: null });
  t.strictSame(rest({ reference: `7 ${email}` }), { ...joao, reference: null });
  t.equal(withoutPerson(joao, email), joao);
  const nameless = { ...joao, email: null };
  t.equal(withoutPerson(nameless, email), nameless);
  const webhookUrl = `https://loja.example/?cliente=${email}`;
  t.strictSame(withoutPerson({ ...joao, webhookUrl }, email), {
    ...joao,
    webhookUrl: 'https://loja.example/?cliente=',
  });
});

t.test('the texts that go with time, of a payment and of what an event shows of it', async (t) => {
  const whole = { id: '1', email: null, observation: 'para Ana', description: null };
  t.equal(hasTexts(whole), true);
  t.strictSame(withoutTexts(whole), { ...whole, observation: null });
  t.equal(hasTexts({ ...whole, observation: null }), false);
  const shown = { id: '1', email: 'ana@exemplo.com.br' };
  t.equal(hasTexts(shown), true);
  t.strictSame(withoutTexts(shown), { id: '1', email: null }, 'with no other field than before');
  t.equal(hasTexts({}), false);
});

const urls: [url: string, rest: string][] = [
  ['https://loja.example/w?c=Maria%2B1%40exemplo.com.br&p=7', 'https://loja.example/w?c=&p=7'],
  ['https://loja.example/w?c=maria+1@exemplo.com.br#7', 'https://loja.example/w?c=#7'],
  ['https://loja.example/maria+1@exemplo.com.br/7', 'https://loja.example//7'],
  [
    'https://loja.example/w?u=x%3Fc%3DMaria%252B1%2540exemplo.com.br%26p',
    'https://loja.example/w?u=x%3Fc%3D%26p',
  ],
  ['https://loja.example/w?c=maria%2b1@exemplo%2ecom.br', 'https://loja.example/w?c='],
  [
    'https://loja.example/w?c=ana.maria%2B1%40exemplo.com.br',
    'https://loja.example/w?c=ana.maria%2B1%40exemplo.com.br',
  ],
];
for (const [url, rest] of urls) t.equal(urlWithoutPerson(url, 'maria+1@exemplo.com.br'), rest);

t.equal(withoutEmails('pediu joão.silva+1@exemplo.com.br, duas vezes'), 'pediu [e-mail], duas vezes');
t.equal(
  withoutEmails('https://loja.example/a?c=1 jo%C3%A3o%2B1%40exemplo.com.br'),
  'https://loja.example/a?c=1 [e-mail]',
);
t.equal(withoutEmails('c=maria%2540exemplo.com.br'), '[e-mail]');
t.equal(withoutEmails('R$ 10%40 caixa'), 'R$ 10%40 caixa');
t.equal(withoutEmails('R$ 10@ caixa.br'), 'R$ 10@ caixa.br');
t.equal(withoutEmails('R$ 10 @ caixa'), 'R$ 10 @ caixa');
