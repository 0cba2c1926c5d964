import type { SafeHtml } from '../../pages/html.ts';
import { tabs } from '../kit/tabs.ts';

const views = [
  { name: 'ledger', href: '/panel/deliveries', label: 'Entregas' },
  { name: 'endpoints', href: '/panel/deliveries/endpoints', label: 'Destinos com falhas' },
] as const;

/** The tabs of the webhook pages. */
export function deliveryTabs(current: (typeof views)[number]['name']): SafeHtml {
  return tabs('Entregas', views, current);
}
