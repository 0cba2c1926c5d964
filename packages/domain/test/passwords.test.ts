import t from 'tap';
import { isCommonPassword, passwordFault } from '../src/passwords.ts';

const ana = { name: 'Ana Maria Souza', email: 'ana.maria.souza@loja.example' };

const cases: [string, string | undefined][] = [
  ['', 'too_short'],
  ['onze letras', 'too_short'],
  ['doze letras!', undefined],
  ['😀'.repeat(12), undefined],
  ['x'.repeat(200), undefined],
  ['x'.repeat(201), 'too_long'],
  ['ana.maria.souza@loja.example', 'like_the_person'],
  ['ANA.Maria.Souza@Loja.example', 'like_the_person'],
  ['ana.maria.souza', 'like_the_person'],
  ['anamariasouza', 'like_the_person'],
  ['ana maria souza', 'like_the_person'],
  ['ana maria souza e o café', undefined],
  ['ana.maria.souza1!', 'like_the_person'],
];
for (const [password, fault] of cases) t.equal(passwordFault(password, ana), fault, password.slice(0, 30));

const list = new Set(['password', 'senha', 'q1w2e3r4t5y6', 'qwerty123', '123456', 'a', 'demo']);
const common: [string, boolean][] = [
  ['q1w2e3r4t5y6', true],
  ['Q1W2E3R4T5Y6', true],
  ['Password1234!', true],
  ['2026-Password!', true],
  ['p a s s w o r d 1234', true],
  ['senhasenhasenha', true],
  ['SenhaSenhaSenha2026', true],
  ['123456123456', true],
  ['123456123456123', true],
  ['aaaaaaaaaaaa', true],
  ['ｐａｓｓｗｏｒｄ1234', true],
  ['839201748261', false],
  ['senha de um cavalo', false],
  ['demo-x7Qp2LmT9vKd', false],
  ['trocar-esta-senha', false],
  ['……………………………………', false],
  ['', false],
];
for (const [password, isCommon] of common) t.equal(isCommonPassword(password, list), isCommon, password);
