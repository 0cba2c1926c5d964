import { writeReport } from '../verdict/report.ts';
import { runDrill } from './drill.ts';
import { readOptions, usage } from './options.ts';

/** `npm run drill`: loses the database, restores it, and compares the result with the banks. */
try {
  const options = readOptions(process.argv.slice(2));
  if (options) {
    const report = await runDrill(options, (line) => console.log(line));
    writeReport(options.report, report);
    console.log('');
    for (const [what, figure] of Object.entries(report.figures))
      console.log(`${String(figure).padStart(8)}  ${what}`);
    console.log('');
    for (const { promise, breaches } of report.promises)
      console.log(breaches === 0 ? `✓ ${promise}` : `✗ ${promise}: broken ${breaches} times`);
    for (const { promise, paymentId = '', says } of report.breaches.slice(0, 12))
      console.log(`  ✗ ${promise}: ${paymentId} ${says}`);
    for (const line of report.story) console.log(line);
    console.log(`report: ${options.report}`);
    if (report.breaches.length > 0) process.exitCode = 1;
  } else console.log(usage);
} catch (error) {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();
