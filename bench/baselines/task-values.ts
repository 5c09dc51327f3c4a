import { randomBytes } from 'node:crypto';
import { type Outline } from '../outline.js';

/** A request's body, used without validation. */
export type Body = Readonly<Record<string, unknown>>;

export function valueReader(outline: Outline): {
  update(body: Body): unknown[];
  upsert(body: Body): unknown[];
} {
  const { workspaceId, workflowId, version, users, fields, stages } = outline;
  const userIds = new Map<unknown, string>(users.map(({ id, email }) => [email, id]));
  const stagesByName = new Map<unknown, (typeof stages)[number]>(stages.map((stage) => [stage.name, stage]));
  const key = fields.find(({ type }) => type === 'uniqueId')?.name ?? '';
  const stored = fields.filter(({ type }) => type !== 'uniqueId');

  function set(body: Body): string {
    const values: Record<string, unknown> = {};
    for (const { id, name, type } of stored) {
      const value = body[name];
      if (value === undefined || value === false) continue;
      values[id] = type === 'person' ? userIds.get(value) : value;
    }
    return JSON.stringify(values);
  }

  function updateValues(body: Body, values: string): unknown[] {
    const stage = stagesByName.get(body['Stage']);
    const assignee = body['Assigned To'];
    return [
      ...[workspaceId, workflowId, version, body[key], stage?.id, stage && !stage.isEnd],
      ...[assignee !== undefined, userIds.get(assignee), values, [], [], '{}', null, null],
    ];
  }

  return {
    update: (body) => [...updateValues(body, set(body)), noOrigin],
    upsert: (body) => {
      const values = set(body);
      const stage = stagesByName.get(body['Stage']) ?? stages[0];
      const publicId = randomBytes(9).toString('base64url');
      return [...updateValues(body, values), publicId, stage?.id, stage?.isEnd === false, values, noOrigin];
    },
  };
}

/** Baselines record no origin of changes. */
const noOrigin = null;
