/** Runs in the browser. Everything shown goes through textContent: a code's text is the receiver's, not ours. */
export const script = `
const $ = (id) => document.getElementById(id);
const ask = async (path, body) => {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail || answer.status);
  return said;
};
const row = (name, value) => {
  const line = $('says').insertRow();
  line.insertCell().textContent = name;
  line.insertCell().textContent = value;
};
const read = async () => {
  $('says').replaceChildren();
  $('pay').disabled = true;
  const { code, charge } = await ask('/bank/read', { pixCopiaECola: $('code').value });
  row('Receiver', code.merchantName + ', ' + code.merchantCity);
  row('Location', code.location || 'none: a static code');
  $('pay').disabled = !charge;
  if (!charge) return row('Charge', 'not of this bank');
  row('Amount', 'R$ ' + charge.valor);
  row('Status', charge.status + (charge.expirada ? ', expired' : ''));
  row('Expires', charge.expiraEm);
  if (charge.solicitacaoPagador) row('Message', charge.solicitacaoPagador);
  for (const pix of charge.pago) row('Paid', 'R$ ' + pix.valor + ' at ' + pix.horario + ' (' + pix.endToEndId + ')');
  $('amount').placeholder = charge.valor;
};
const pay = async () => {
  const valor = $('amount').value.trim().replace(',', '.');
  const paid = await ask('/bank/pay', {
    pixCopiaECola: $('code').value,
    late: $('late').checked,
    ...(valor && { valor }),
  });
  await read();
  return 'Paid R$ ' + paid.valor + '. Press again to pay a second time.';
};
const on = (id, event, action) => $(id).addEventListener(event, async (happened) => {
  happened.preventDefault();
  $('note').textContent = '';
  try {
    $('note').textContent = (await action()) || '';
  } catch (error) {
    $('note').textContent = error.message;
  }
});
on('code', 'input', read);
on('form', 'submit', pay);
`;

export const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pay a Pix code</title>
<link rel="icon" href="data:,">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
  textarea, input[type=text] { font: 14px monospace; width: 100%; box-sizing: border-box; padding: .5rem }
  input[type=text] { width: 9rem }
  td { padding: .1rem 1rem .1rem 0; vertical-align: top; word-break: break-all }
  td:first-child { color: #666 }
  button { font: inherit; padding: .4rem 1.2rem }
</style>
<h1>Pay a Pix code</h1>
<p>A simulated bank: nobody's money moves. Paste the copy-and-paste code of a payment.</p>
<form id="form">
  <textarea id="code" rows="5" autofocus aria-label="Copy-and-paste code" placeholder="00020101…"></textarea>
  <table id="says"></table>
  <p>
    <label>Amount R$ <input type="text" id="amount" inputmode="decimal"></label>
    <label><input type="checkbox" id="late"> dated after the expiry</label>
    <button id="pay" disabled>Pay</button>
  </p>
  <p id="note" role="status"></p>
</form>
<script>${script}</script>
</html>
`;
