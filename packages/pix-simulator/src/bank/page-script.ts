/** Runs in the browser. Everything shown goes through textContent: a code's text is the receiver's, not ours. */
export const script = `
const $ = (id) => document.getElementById(id);
const statuses = {
  ATIVA: 'Ativa',
  CONCLUIDA: 'Paga',
  REMOVIDA_PELO_USUARIO_RECEBEDOR: 'Cancelada por quem recebe',
  REMOVIDA_PELO_PSP: 'Cancelada pelo banco',
};
const reais = (text) => 'R$ ' + Number(text).toLocaleString('pt-BR', { minimumFractionDigits: 2 });
const when = (text) => new Date(text).toLocaleString('pt-BR', { timeZone: 'America/Sao_Paulo' });
const ask = async (path, body) => {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail || 'O banco respondeu ' + answer.status + '.');
  return said;
};
const entry = (name, value) => {
  const line = document.createElement('div');
  line.append(document.createElement('dt'), document.createElement('dd'));
  line.firstChild.textContent = name;
  line.lastChild.textContent = value;
  $('says').append(line);
};
const read = async () => {
  $('says').replaceChildren();
  $('pay').disabled = true;
  if ($('code').value.trim() === '') return;
  const { code, charge } = await ask('/bank/read', { pixCopiaECola: $('code').value });
  $('says').replaceChildren();
  entry('Quem recebe', code.merchantName + ', ' + code.merchantCity);
  entry('Endereço', code.location || 'Nenhum: o código é estático');
  $('pay').disabled = !charge;
  if (!charge) return entry('Cobrança', 'Não é deste banco');
  entry('Valor', reais(charge.valor));
  entry('Status', (statuses[charge.status] || charge.status) + (charge.expirada ? ', vencida' : ''));
  entry('Vence em', when(charge.expiraEm));
  if (charge.solicitacaoPagador) entry('Mensagem', charge.solicitacaoPagador);
  for (const { nome, valor } of charge.infoAdicionais) entry(nome, valor);
  for (const pix of charge.pago)
    entry('Pago', reais(pix.valor) + ' em ' + when(pix.horario) + ' (' + pix.endToEndId + ')');
  $('amount').placeholder = charge.valor.replace('.', ',');
};
const pay = async () => {
  const valor = $('amount').value.trim().replace(',', '.');
  const paid = await ask('/bank/pay', {
    pixCopiaECola: $('code').value,
    late: $('late').checked,
    ...(valor && { valor }),
  });
  await read();
  return 'Pago: ' + reais(paid.valor) + '. Para pagar uma segunda vez, use o botão de novo.';
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
