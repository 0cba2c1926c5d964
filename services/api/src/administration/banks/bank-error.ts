// The Pix client's words for a bank that did not serve a request (see `PixUnavailable`).
const reasons: Record<string, string> = {
  'the PSP could not be reached': 'não foi possível conectar ao banco',
  'the PSP did not answer in time': 'o banco não respondeu a tempo',
  'the PSP could not serve the request': 'o banco não atendeu ao pedido',
  'the PSP has no API Pix at this address': 'o banco não tem a API Pix neste endereço',
  "the PSP's answer can't be understood": 'a resposta do banco não foi entendida',
  'the PSP is failing and was not called': 'o banco está com falhas e não foi chamado',
  'the calls that the PSP allows were used up, and it was not called':
    'o limite de chamadas do banco foi atingido',
  'the bank is not configured, and was not called': 'o banco não está configurado',
};

/** @returns an error of a bank in Portuguese, with the operation; other texts are the bank's own and stay */
export function bankError(error: string): string {
  const [, operation = '', rest = ''] = /^(\w+): (.+)$/s.exec(error) ?? [];
  const [, status, said = ''] = /^the PSP refused with (\d{3}) ?(.*)$/s.exec(rest) ?? [];
  if (status) return `${operation}: o banco recusou com ${status}${said === '' ? '' : ` ${said}`}`;
  const known = Object.entries(reasons).find(([english]) => rest.startsWith(english));
  return known ? `${operation}: ${known[1]}${rest.slice(known[0].length)}` : error;
}
