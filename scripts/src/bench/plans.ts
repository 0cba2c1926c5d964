/** A node of a plan as PostgreSQL's JSON has it. */
export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
};

export type LoggedPlan = { ms: number; statement: string; plan: PlanNode };

/** @returns the plans that auto_explain wrote to a PostgreSQL log, in JSON */
export function readPlans(log: string): LoggedPlan[] {
  const plans: LoggedPlan[] = [];
  for (const part of log.split(/duration: (?=[\d.]+ ms {2}plan:)/).slice(1)) {
    const [head, ...lines] = part.split('\n');
    const end = lines.findIndex((line) => !line.startsWith('\t'));
    const json = lines.slice(0, end === -1 ? lines.length : end).map((line) => line.slice(1));
    const { 'Query Text': text, Plan: plan } = JSON.parse(json.join('\n'));
    plans.push({ ms: Number.parseFloat(head ?? ''), statement: text.replaceAll(/\s+/g, ' ').trim(), plan });
  }
  return plans;
}

/** @returns every node of a plan */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** @returns how a plan reads its tables: node types with the index or the table */
export function accessesOf(plan: PlanNode): string[] {
  const scans = nodesOf(plan).filter(
    (node) => /Scan/.test(node['Node Type']) && (node['Index Name'] || node['Relation Name']),
  );
  return [
    ...new Set(scans.map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']}`)),
  ];
}
