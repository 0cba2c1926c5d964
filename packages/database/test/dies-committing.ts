import { connect } from '../src/connection.ts';
import { addPayment } from './rows.ts';

/** A process that is killed right after it has committed a payment. */
const [url = '', storeId = ''] = process.argv.slice(2);
const db = connect(url);
db.listeners.push(() => process.kill(process.pid, 'SIGKILL'));
await addPayment(db, storeId);
