import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from './repository.ts';

/** @returns the alert rules as a resource of the Prometheus operator */
export function prometheusRule(): string {
  const spec = parse(readFileSync(join(root, 'deploy/monitoring/alerts.yaml'), 'utf8'));
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'payments' },
    spec,
  };
  return `# Made from deploy/monitoring/alerts.yaml by \`npm run alerts\`.\n${stringify(resource, { lineWidth: 120 })}`;
}
