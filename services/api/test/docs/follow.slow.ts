import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as textOf } from 'node:stream/consumers';
import { findExecutable } from '@payments/local-servers/executable';
import { programsOf } from '@payments/testing/docs-programs';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

/** The guide's programs that follow the feed beside webhooks: copied from its pages, and run with the service. */
const system = await startSystem();
const receiver = await startReceiver();
t.teardown(async () => {
  await receiver.close();
  await system.stop();
});
const [english = '', portuguese = ''] = await Promise.all(
  ['/docs/guide', '/docs/pt/guide'].map(async (path) => (await system.api(path)).text),
);

type Program = [program: string, ...args: string[]];
type Follower = {
  file: string;
  needs: string[];
  run: Program;
  /** A receiver's work on a verified webhook, whose body is its input. */
  receive: (id: string) => Program;
  /** Makes the handling of an event fail. @returns a function that mends it */
  obstruct: (folder: string, id: string) => () => void;
  /** How often the work of that event is done: twice where the mark is not made together with it. */
  timesDone: number;
};

const inDatabase = (folder: string, id: string) => {
  const change = (statement: string) => {
    const db = new DatabaseSync(join(folder, 'events.db'));
    db.exec(statement);
    db.close();
  };
  change(`create trigger obstacle before insert on handled when new.id = '${id}'
    begin select raise(abort, 'obstructed'); end`);
  return () => change('drop trigger obstacle');
};

// A link to nowhere can't be written to.
const inFolder = (folder: string, id: string) => {
  symlinkSync('/nowhere/at/all', join(folder, 'handled', id));
  return () => rmSync(join(folder, 'handled', id));
};

const node = process.execPath;
const body = {
  js: "JSON.parse(readFileSync(0, 'utf8'))",
  php: 'json_decode(stream_get_contents(STDIN), true)',
};
const followers: Record<string, Follower> = {
  JavaScript: {
    file: 'follow.mjs',
    needs: [],
    run: [node, 'follow.mjs'],
    receive: (id) => {
      const imports = "import { readFileSync } from 'node:fs'; import { handle } from './follow.mjs';";
      return [node, '--input-type=module', '-e', `${imports} handle('${id}', ${body.js})`];
    },
    obstruct: inDatabase,
    timesDone: 1,
  },
  Python: {
    file: 'follow.py',
    needs: ['python3'],
    run: ['python3', 'follow.py'],
    receive: (id) => [
      'python3',
      '-c',
      `import json, sys; from follow import handle; handle('${id}', json.load(sys.stdin))`,
    ],
    obstruct: inDatabase,
    timesDone: 1,
  },
  PHP: {
    file: 'follow.php',
    needs: ['php'],
    run: ['php', 'follow.php'],
    receive: (id) => ['php', '-r', `require './follow.php'; handle($db, '${id}', ${body.php});`],
    obstruct: inDatabase,
    timesDone: 1,
  },
  'curl + jq': {
    file: 'follow.sh',
    needs: ['curl', 'jq', 'flock'],
    run: ['sh', 'follow.sh'],
    receive: (id) => ['sh', 'follow.sh', id],
    obstruct: inFolder,
    timesDone: 2,
  },
};

t.test('both pages have the program in each of these languages', (t) => {
  for (const page of [english, portuguese])
    t.strictSame(Object.keys(programsOf(page, 'follow')), Object.keys(followers));
  t.end();
});

for (const [title, follower] of Object.entries(followers)) {
  const missing = follower.needs.find((program) => !findExecutable(program));
  for (const [language, page] of Object.entries({ english, portuguese })) {
    t.test(
      `${title}, ${language}`,
      { skip: missing ? `no ${missing} on this machine` : false },
      async (t) => {
        const folder = t.testdir({});
        const source = programsOf(page, 'follow')[title] ?? '';
        writeFileSync(
          join(folder, follower.file),
          source.replaceAll(system.env.PUBLIC_URL ?? '', system.url),
        );
        const store = await system.createStore();
        const run = (program: Program, input = '') =>
          runProgram(program, { folder, token: store.token, input });
        const create = async (webhookUrl?: string) =>
          (await system.api('/api-public/payments', { token: store.token, body: { amount: 10, webhookUrl } }))
            .body;
        const shown = (count: number) =>
          eventually(`${count} events in the feed`, async () => {
            const { items } = (await system.api('/api-public/events', { token: store.token })).body;
            return items.length === count ? (items as { id: string; type: string }[]) : undefined;
          });
        const lineOf = ({ id, type }: { id: string; type: string }) => `${type} ${id}`;

        const paid = await create(receiver.url);
        await system.bank('/bank/pay', { pixCopiaECola: paid.qrCopyPaste });
        const sent = await receiver.waitFor(
          (request) => request.body.includes(paid.id) && request.body.includes('status_changed'),
        );
        const id = String(sent.headers['webhook-id']);
        const received = await run(follower.receive(id), sent.body);
        t.strictSame(received.lines, [`payment.status_changed ${id}`], received.errors);

        await create();
        const [first, second, third] = await shown(3);
        t.equal(second?.id, id);
        const mend = follower.obstruct(folder, third!.id);
        const broken = await run(follower.run);
        t.not(broken.status, 0, 'the third event stops it');
        mend();
        const went = await run(follower.run);
        t.equal(went.status, 0, went.errors);
        const done = [...broken.lines, ...went.lines];
        t.strictSame(
          done,
          [lineOf(first!), ...Array(follower.timesDone).fill(lineOf(third!))],
          'it misses nothing, and repeats nothing that the webhook brought',
        );

        t.strictSame((await run(follower.run)).lines, [], 'nothing is new');
        t.strictSame((await run(follower.receive(id), sent.body)).lines, [], 'the webhook comes again');
        await create();
        const [, , , fourth] = await shown(4);
        t.strictSame((await run(follower.run)).lines, [lineOf(fourth!)], 'only what is new');
      },
    );
  }
}

t.test('a program that is started through a linked folder follows the feed, too', async (t) => {
  const store = await system.createStore();
  await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  for (const [title, { file, needs, run }] of Object.entries(followers)) {
    if (!needs.every((program) => findExecutable(program))) continue;
    const source = programsOf(english, 'follow')[title] ?? '';
    const release = { [file]: source.replaceAll(system.env.PUBLIC_URL ?? '', system.url) };
    const folder = t.testdir({ release, current: t.fixture('symlink', 'release') });
    const [program, ...args] = run;
    const linked = args.map((arg) => join(folder, 'current', arg));
    const { lines, errors } = await runProgram([program, ...linked], {
      folder,
      token: store.token,
      input: '',
    });
    t.match(lines, [/^payment\.created /], `${title}: ${errors}`);
  }
});

t.test('a service that hangs ends each program, which the next run by cron would wait for', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const here = Object.entries(followers).filter(([, { needs }]) =>
    needs.every((program) => findExecutable(program)),
  );
  const folder = t.testdir(Object.fromEntries(here.map(([, { file }]) => [file.replace('.', '-'), {}])));
  const ends = here.map(async ([title, { file, run }]) => {
    const own = join(folder, file.replace('.', '-'));
    const source = programsOf(english, 'follow')[title] ?? '';
    writeFileSync(join(own, file), source.replaceAll(system.env.PUBLIC_URL ?? '', url));
    const { status } = await runProgram(run, { folder: own, token: 'pp_any', input: '' });
    t.not(status, 0, title);
  });
  await Promise.all(ends);
});

type Place = { folder: string; token: string; input: string };

/** Runs a program to its end in a folder, without blocking the system in this process. */
async function runProgram([program, ...args]: Program, { folder, token, input }: Place) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, TOKEN: token, PYTHONDONTWRITEBYTECODE: '1' },
  });
  child.stdin.on('error', () => undefined).end(input);
  const [out, errors, [status]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  return {
    status: Number(status),
    lines: out.split('\n').filter((line) => /^[\w.]+ [\w-]{36}$/.test(line)),
    errors,
  };
}
