import { payerTexts, personalTexts } from '@payments/domain/personal-data';
import { sql } from 'kysely';
import t from 'tap';
import { openDatabase } from './rows.ts';

/** Texts that may name a person, and what erases them, or why they stay. Those of payments are `personalTexts`. */
const named: Record<string, string[]> = {
  'eraseCopies: what events, and receivers that repeat them, say of a payment': [
    'events.payload',
    'events.previous',
    'deliveries.attempt_log',
  ],
  'changeUrl, eraseFromEndpoints: a webhookUrl’s copies': ['deliveries.url', 'failing_endpoints.url'],
  'eraseMailsTo: mails to the person': ['mails.recipient', 'mails.subject', 'mails.facts', 'mails.link'],
  'finishErasures: the erasure itself': ['erasures.email'],
  'eraseIdentity: the account': ['accounts.name', 'accounts.email', 'accounts.issuer', 'accounts.subject'],
  'end with their session, passkey or account': ['sessions.address', 'sessions.browser', 'passkeys.name'],
  'recordChange lets no e-mail in; the record of who did what stays': [
    ...['action', 'subject', 'before', 'after', 'author', 'via', 'reason', 'request_id', 'address'].map(
      (column) => `changes.${column}`,
    ),
    'changes.browser',
    ...['actor', 'kind', 'last'].map((column) => `repeated_changes.${column}`),
  ],
};

/** Texts of the service, of a bank, of a store or of a program. A person's reason enters them without e-mails. */
const excused = [
  'accounts: role password notices',
  'banks: id psp last_error paused_reason',
  'charge_problems: bank txid work error end_to_end_ids returns',
  'cursors: bank name',
  'daily_totals: status bank',
  'deliveries: state request_id',
  'events: type status previous_status refund actor reason request_id trace_parent',
  'failing_endpoints: last_error',
  'idempotency_keys: key',
  'keys: name role',
  'mails: kind state last_error',
  'notices: kind key facts',
  'passkeys: id',
  'payment_counts: status',
  'payments: status bank copy_and_paste charge_state request_id',
  'pix_received: end_to_end_id bank txid effect unmatched',
  'reconciliations: bank day result',
  'refunds: id end_to_end_id bank origin reason note state rtr_id last_error replaces idempotency_key',
  'stores: name banks events token_may webhook_secret previous_webhook_secret',
  'total_changes: status bank',
  'unheard_charges: bank',
].flatMap((line) => {
  const [table, columns = ''] = line.split(': ');
  return columns.split(' ').map((column) => `${table}.${column}`);
});

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

t.test('each text of the schema is erased with its person, or excused', async (t) => {
  const { db } = await openDatabase(t);
  const { rows } = await sql<{ place: string; expression: string | null }>`
    select table_name || '.' || column_name as place, generation_expression as expression
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'
      and data_type in ('text', 'json', 'jsonb', 'ARRAY')
      and udt_name <> '_uuid'`.execute(db);
  const own = personalTexts.map((name) => `payments.${snake(name)}`);
  const listed = [...own, ...Object.values(named).flat(), ...excused, 'payments.search_text'];
  t.strictSame(rows.map(({ place }) => place).sort(), listed.sort());

  const searched = rows.find(({ place }) => place === 'payments.search_text')?.expression ?? '';
  t.strictSame(
    payerTexts.filter((name) => !searched.includes(name)),
    [],
    'a search finds each text of the payer',
  );
});
