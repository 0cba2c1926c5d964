import t from 'tap';
import { passwordFault } from '../src/passwords.ts';

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
];
for (const [password, fault] of cases) t.equal(passwordFault(password, ana), fault, password.slice(0, 30));
