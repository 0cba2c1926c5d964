import type { Statement, StatementItem } from '@payments/database/totals/statement';
import { reaisFrom } from '@payments/domain/money';
import { csvAmount } from '../../http/csv.ts';
import type { Columns } from '../../http/send-csv.ts';

/** @returns a statement as the admin API shows it; amounts in reais */
export function statementView({ opening, items, closing }: Statement) {
  return { opening: reaisFrom(opening), items: items.map(itemView), closing: reaisFrom(closing) };
}

function itemView({ period, received, fees, givenBack, closing }: StatementItem) {
  return {
    period,
    received: reaisFrom(received),
    fees: reaisFrom(fees),
    givenBack: reaisFrom(givenBack),
    closing: reaisFrom(closing),
  };
}

export const statementCsv: Columns<StatementItem> = {
  period: ({ period }) => ({ period }),
  received: ({ received }) => csvAmount(received),
  fees: ({ fees }) => csvAmount(fees),
  givenBack: ({ givenBack }) => csvAmount(givenBack),
  closing: ({ closing }) => csvAmount(closing),
};
