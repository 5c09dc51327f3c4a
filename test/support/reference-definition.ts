import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type JsonMapping } from '../../src/workflows/model/definition-reader.js';

/** An example of the reference: what stands under one key of a definition. */
type Example = Readonly<Record<string, object | readonly object[]>>;

const page = new URL('../../docs/reference/definition.md', import.meta.url);

// The example of the reference is about fields of another workflow.
const webhook = {
  id: 'billing',
  url: 'https://a.test/x?a=b&c',
  events: ['task.updated'],
  when: 'task["Stage"] != before["Stage"]',
  headers: { Authorization: 'Bearer {{secret.T}}: #' },
};

/** One definition of all examples of the reference: what belongs to a workflow stands in the first one. */
export function referenceDefinition(): JsonMapping {
  const examples = [...readFileSync(page, 'utf8').matchAll(/```yaml\n(.*?)```/gs)];
  const parts = new Map<string, object[]>();
  for (const [, yaml = ''] of examples)
    for (const [key, part] of Object.entries(parse(yaml) as Example))
      parts.set(key, [...(parts.get(key) ?? []), ...[part].flat()]);
  const list = (key: string): object[] => distinct(parts.get(key) ?? []);
  const lists = (...keys: readonly string[]): object =>
    Object.fromEntries(keys.map((key) => [key, list(key)]));
  const requirements = Object.assign({}, ...list('requirements')) as object;
  const steps = list('steps').sort((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)));
  const actions = list('actions').map((action) => ({ ...action, requirements, steps }));
  const ofWorkflow = lists(
    'stages',
    'fields',
    'checklist',
    'roles',
    'members',
    'clocks',
    'rules',
    'schedules',
    'forms',
  );
  const [first, ...further] = list('workflows');
  return {
    workspace: list('workspace')[0],
    workflows: [{ ...first, ...ofWorkflow, actions }, ...further],
    webhooks: [{ ...webhook, workflows: [Reflect.get(first ?? {}, 'id')] }],
    ...lists('users', 'relationships', 'channels', 'calendars', 'views'),
    notifications: list('notifications')[0],
  } as JsonMapping;
}

function distinct(parts: readonly object[]): object[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

function isDeletion(step: object): boolean {
  return 'type' in step && step.type === 'delete_task';
}
