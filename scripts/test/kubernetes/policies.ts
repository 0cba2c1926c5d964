import { BlockList, isIP } from 'node:net';
import type { Manifest } from './manifests.ts';

type Rule = Manifest;
type Block = { cidr: string; except?: string[] };

/** @returns the labels of a service's pods, by which policies choose them */
export const labelsOf = (component: string) => ({
  'app.kubernetes.io/part-of': 'public-payments',
  'app.kubernetes.io/component': component,
});

/** @returns the NetworkPolicies that select pods with these labels */
export function policiesFor(manifests: Manifest[], labels: Record<string, string>): Manifest[] {
  return manifests.filter(({ kind, spec }) => kind === 'NetworkPolicy' && selects(spec.podSelector, labels));
}

/** @returns whether any of these policies' address blocks allows traffic to an address and port */
export function letsOut(policies: Manifest[], address: string, port: number): boolean {
  const rules: Rule[] = policies.flatMap(({ spec }) => spec.egress ?? []);
  return rules.some((rule) => hasPort(rule, port) && blocksOf(rule).some((block) => holds(block, address)));
}

function selects(selector: Manifest, labels: Record<string, string>): boolean {
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    exact &&
    (selector.matchExpressions ?? []).every(({ key, values }: Manifest) => values.includes(labels[key] ?? ''))
  );
}

function hasPort(rule: Rule, port: number): boolean {
  return rule.ports.some((range: Manifest) => range.port <= port && port <= (range.endPort ?? range.port));
}

function blocksOf(rule: Rule): Block[] {
  return rule.to.flatMap(({ ipBlock }: Manifest) => (ipBlock ? [ipBlock] : []));
}

function holds({ cidr, except = [] }: Block, address: string): boolean {
  return within(cidr, address) && !except.some((inner) => within(inner, address));
}

function within(cidr: string, address: string): boolean {
  const [network = '', prefix] = cidr.split('/');
  const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');
  if (isIP(network) !== isIP(address)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family(network));
  return list.check(address, family(address));
}
