/** The `--help` of the commands that don't print their own, by script. It needs no installation. */
const texts = {
  'scripts/src/start.ts': `npm start [-- options]

Runs the whole system on this machine until Ctrl-C: PostgreSQL, NATS, a simulated bank, a mailbox, the API and the
dispatcher, with a demo store.

  --open         opens the docs in your browser when the system runs
  --seed-data    makes three stores with a month of payments, once
  --banks <ids>  simulates these banks, in order of preference: --banks efi,bb
  --help         prints this

Environment: API_PORT (3000), ADMIN_PORT (3001), DISPATCHER_PORT (3002), SIMULATOR_PORT (3003), MAILBOX_PORT (3004),
DATA_DIR (.data), and the settings in deploy/configuration.md. SMTP_URL names a mail server in the mailbox's place.`,
  'scripts/src/test.ts': `npm test [-- path …]    npm run test:slow    npm run test:pgbouncer [-- path …]

Runs lint, types and the quick tests against real PostgreSQL and NATS; or the slow tests; or the named files, and the
quick tests in the named folders. It ends with the ten slowest files.

  -t <name>    only the tests whose name contains this, such as npm test -- packages/domain -t money; also --grep
  --all        everything, the slow tests last
  --quick      the quick tests, without lint and types
  --slow       the slow tests
  --pgbouncer  the quick tests of both services, or the named files, through PgBouncer in transaction mode
  --help       prints this`,
  'scripts/src/test-busy.ts': `npm run test:busy [-- path …]

Shows that the tests pass on a slow machine: runs the quick tests twice and the slow ones once, beside as many busy
loops as there are cores, and ends with a line for each run. The loops end with it. Paths are files, or folders for
their quick tests.

  --quick  only the quick tests, twice
  --help   prints this`,
  'scripts/src/coverage.ts': `npm run coverage [-- path …]

Runs the quick tests, or those of the named files and folders, and prints for each package which share of its lines and
branches ran. The report of each file is in .data/coverage/index.html.`,
  'scripts/src/demo.ts': `npm run demo

Takes one payment from its creation to approved, step by step, against a running npm start.`,
  'scripts/src/migrate.ts': `npm run migrate

Brings the schema of DATABASE_URL up to date. It may run beside other migrations and services. SERVICES_ROLE names the
services' role in PostgreSQL, which gets its rights.`,
  'scripts/src/record-check.ts': `npm run record:check [-- hash …]

Verifies the record of changes in the database of DATABASE_URL, and prints its last hash. It ends with 1 where an entry
was changed, removed or put in, or where no entry has one of the given hashes, which it printed earlier.`,
  'scripts/src/docs-site/main.ts': `npm run docs:site [-- options]

Writes the docs as a static site: every page in both languages and as Markdown, with search and the OpenAPI documents.
Any host serves the folder, at any path. Without options the pages name the addresses of npm start.

  --out <folder>   where to (.data/docs-site); what an earlier run wrote there is replaced
  --service <url>  the address of the service that the pages describe; they then say nothing of a simulated bank
  --url <url>      where the site will be, for its pages' canonical addresses
  --help           prints this`,
  'scripts/src/mcp/main.ts': `npm run mcp

The docs for an assistant, by the Model Context Protocol over standard input and output: it searches the guide and shows
operations. While npm start runs, it also creates and pays payments of the demo store, and breaks the simulated bank. It
acts on this machine alone, never in production or with a real bank. An assistant's program starts it, without npm's
own lines: npm --silent --prefix <this folder> run mcp`,
  'scripts/src/openapi.ts': `npm run openapi

Writes what is made of the routes: the OpenAPI documents, the Postman collection, the client's types; and the script of
the docs pages.`,
  'scripts/src/settings.ts': `npm run settings

Writes deploy/configuration.md from the settings' schemas.`,
  'scripts/src/alerts.ts': `npm run alerts

Writes the alert rules of deploy/monitoring/alerts.yaml as a resource of the Prometheus operator.`,
  'scripts/src/chart.ts': `npm run chart

Writes the templates of the Helm chart in deploy/chart from the manifests in deploy/kubernetes. It needs kubectl, which
renders them.`,
  'scripts/src/build.ts': `npm run build [-- package …]

Compiles every package and service to JavaScript in its dist/, or the named packages and what they import.`,
  'scripts/src/histories.ts': `npm run histories [-- options]

Runs random histories of payments and compares each step with the banks.

  --runs <n>     how many (500)
  --seed <n>     repeats the histories of an earlier run
  --banks 2      only those with two banks
  --path <path>  repeats one history, as a failure printed it
  --help         prints this`,
  'scripts/src/mutants/main.ts': `npm run mutants [-- path …] [options]

Changes the sources of packages/domain, packages/settlement and packages/webhooks one place at a time (Stryker), runs
their quick tests on each change, and names the changes that no test notices. Paths are these packages, or files of
theirs. The report of each package is in .data/mutants. The first run installs Stryker.

  --concurrency <n>  so many processes run tests (1)
  --help             prints this`,
  'scripts/src/strangers.ts': `npm run strangers

Holds what others wrote against the system: Efí's own SDKs at the simulated Efí, and a validator between service, bank
and callers, with the Central Bank's document and the service's own. npm run test:slow runs them, too.`,
  'scripts/src/lint.ts': `npm run lint [-- options of Biome]

Runs Biome, the type check and knip, which finds dependencies that nobody imports. npm run lint -- --write fixes what it can.`,
  'scripts/src/newcomer.ts': `npm run newcomer [-- language …]

Measures the way from a clone to a first paid payment: for each language it clones this repository's last commit, runs
npm start, and runs the guide's first payment as copied from the page. Languages: curl, JavaScript, Python, PHP.

  --pages <pt|en>  which guide is copied from (pt)
  --test-store     the way at a hosted service instead: from a test store's token to a paid payment and a verified webhook
  --help           prints this`,
  'packages/benchmark/src/main.ts': `npm run bench [-- scenario …] [options]

Measures the service beside other ways to build it, and writes a report.

  --rounds <n>       how often each side is measured
  --seconds <n>      how long a side is measured in a round
  --connections <n>  how many connections ask at once
  --report <path>    where the report goes: <path>.md and <path>.json
  --no-build         measures what was built before
  --help             prints this`,
  'packages/release/src/main.ts': `npm run release -- <version>

Makes a version: dates the changelog, sets the version everywhere, makes the commit and the tag. It pushes nothing; the
pushed tag starts .github/workflows/release.yml, which builds, signs and publishes.

  --licences <file>  instead writes the licences of what the images contain
  --help             prints this`,
  'packages/image-tests/src/test-cluster.ts': `npm run test:cluster [-- options of the build]

Builds the images, loads them into the kind cluster of kubectl's context, applies the development overlay and pays once.
It leaves any other cluster alone.`,
  'packages/image-tests/src/test-images.ts': `npm run test:images [-- options of the build]

Builds the images, runs them, and pays once.`,
};

/** These take no arguments. One is a mistake, and must not pass for what it was meant to do. */
const withoutArguments = [
  'scripts/src/demo.ts',
  'scripts/src/migrate.ts',
  'scripts/src/mcp/main.ts',
  'scripts/src/openapi.ts',
  'scripts/src/settings.ts',
  'scripts/src/alerts.ts',
  'scripts/src/chart.ts',
];

/**
 * @param {string} script
 * @param {string[]} args
 * @throws {Error} for arguments of a script that takes none
 */
export function refuseArguments(script, args) {
  if (withoutArguments.includes(script) && args.length > 0)
    throw new Error(`this command takes no arguments, and was given ${args[0]} (--help tells what it does)`);
}

/**
 * @param {string} script
 * @param {string[]} args
 * @returns {string | undefined} what to print instead of running the script
 */
export function helpFor(script, args) {
  return args.includes('--help') ? texts[script] : undefined;
}
