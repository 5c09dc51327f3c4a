import fc from 'fast-check';
import { roleEdits, roleMoves, roleSights } from '../../../src/common/column-values.js';
import { relationshipKinds } from '../../../src/workflows/fields/task-schema.js';
import { startService } from '../../support/service.js';
import { outcome, Person, type TaskJson } from '../../permissions/person.js';

const users = ['ann@acme.test', 'ben@acme.test'];

interface Role {
  readonly admin: boolean;
  readonly sees: (typeof roleSights)[number];
  readonly edits: (typeof roleEdits)[number];
  readonly moves: (typeof roleMoves)[number];
  readonly creates: boolean;
  readonly deletes: boolean;
}

interface Workflow {
  readonly roles: readonly Role[];
  /** For each user the places of their roles; those that are too large are none. */
  readonly held: readonly (readonly number[])[];
  /** For each task the place of its assignee; one that is too large is nobody. */
  readonly assigned: readonly number[];
}

interface Relationship {
  readonly kind: (typeof relationshipKinds)[number];
  readonly from: number;
  readonly to: number;
  /** Which task of `from` is linked to which of `to`. */
  readonly links: readonly (readonly [number, number])[];
}

interface World {
  readonly workflows: readonly Workflow[];
  readonly relationships: readonly Relationship[];
}

const anyRole: fc.Arbitrary<Role> = fc.record({
  admin: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  sees: fc.constantFrom(...roleSights),
  edits: fc.constantFrom(...roleEdits),
  moves: fc.constantFrom(...roleMoves),
  creates: fc.boolean(),
  deletes: fc.boolean(),
});

const anyPlaces = () => fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 2 });

const TASKS = 6;
const anyWorkflow: fc.Arbitrary<Workflow> = fc.record({
  roles: fc.array(anyRole, { maxLength: 2 }),
  held: fc.tuple(anyPlaces(), anyPlaces()),
  assigned: fc.array(fc.nat(2), { minLength: TASKS, maxLength: TASKS }),
});

const anyWorld: fc.Arbitrary<World> = fc
  .array(anyWorkflow, { minLength: 2, maxLength: 3 })
  .chain((workflows) => {
    const place = fc.nat(workflows.length - 1);
    const task = fc.nat(TASKS - 1);
    const relationship = fc.record({
      kind: fc.constantFrom(...relationshipKinds),
      from: place,
      to: place,
      links: fc.array(fc.tuple(task, task), { maxLength: 8 }),
    });
    return fc.record({
      workflows: fc.constant(workflows),
      relationships: fc.array(relationship, { minLength: 1, maxLength: 3 }),
    });
  });

const slugOf = (workflow: number): string => `w${workflow}`;
const idOf = (workflow: number, task: number): string => `${workflow}-${task}`;
const fromName = (relationship: number): string => `From ${relationship}`;
const toName = (relationship: number): string => `To ${relationship}`;

/** The definition as JSON, which is YAML too. */
function definitionOf(workspace: string, { workflows, relationships }: World): string {
  return JSON.stringify({
    workspace: { id: workspace, name: workspace },
    users: users.map((email) => ({ email })),
    workflows: workflows.map(({ roles, held }, n) => ({
      id: slugOf(n),
      name: slugOf(n),
      stages: [{ name: 'New' }, { name: 'Done', end: true }],
      fields: [
        { name: 'ID', type: 'uniqueId', required: true },
        { name: 'Rank', type: 'number' },
      ],
      roles: roles.map((role, at) => ({ id: `r${at}`, name: `R${at}`, ...role })),
      members: users.flatMap((email, at) => {
        const role = held[at]?.filter((place) => place < roles.length).map((place) => `r${place}`) ?? [];
        return role.length > 0 ? [{ email, role }] : [];
      }),
    })),
    relationships: relationships.map(({ kind, from, to }, n) => ({
      id: `x${n}`,
      kind,
      from: { workflow: slugOf(from), name: fromName(n) },
      to: { workflow: slugOf(to), name: toName(n) },
    })),
  });
}

// What a role means, said a second time.

function rolesOf({ roles, held }: Workflow, user: number): readonly Role[] | 'free' {
  const own = held[user]?.flatMap((place) => roles[place] ?? []) ?? [];
  return roles.length === 0 || own.some(({ admin }) => admin) ? 'free' : own;
}

const isOwn = ({ assigned }: Workflow, task: number, user: number): boolean => assigned[task] === user;

function sees(workflow: Workflow, task: number, user: number): boolean {
  const roles = rolesOf(workflow, user);
  return roles === 'free' || roles.some((role) => seesIt(role, workflow, task, user));
}

function edits(workflow: Workflow, task: number, user: number): boolean {
  const roles = rolesOf(workflow, user);
  if (roles === 'free') return true;
  // A right of a role is for the tasks that this role sees.
  const seeing = roles.filter((role) => seesIt(role, workflow, task, user));
  return seeing.some(({ edits }) => edits === 'all' || (edits === 'assigned' && isOwn(workflow, task, user)));
}

const seesIt = (role: Role, workflow: Workflow, task: number, user: number): boolean =>
  role.sees === 'all' || isOwn(workflow, task, user);

const tasks = Array.from({ length: TASKS }, (_, task) => task);

const service = await startService();
afterAll(() => service.stop());

describe('what a user sees is the same wherever they look', () => {
  let count = 0;

  async function make(world: World): Promise<string> {
    const workspace = `world-${(count += 1)}`;
    await service.apply(definitionOf(workspace, world));
    const key = await Person.of(service, workspace);
    for (const [n, { assigned }] of world.workflows.entries()) {
      const rows = tasks.map((task) => ({
        ID: idOf(n, task),
        Rank: TASKS - task,
        'Assigned To': users[assigned[task] ?? users.length] ?? null,
      }));
      await key.batch(slugOf(n), rows, true);
    }
    for (const [n, relationship] of world.relationships.entries()) await link(key, n, relationship);
    return workspace;
  }

  async function link(key: Person, n: number, { from, to, links }: Relationship): Promise<void> {
    for (const [one, other] of links)
      if (from !== to || one !== other)
        await key.link(slugOf(from), idOf(from, one), fromName(n), idOf(to, other));
  }

  it('a task is in a list, a count and among linked tasks if and only if a read finds it, and edits follow', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const workspace = await make(world);
        for (const [user, email] of users.entries()) {
          const person = await Person.of(service, workspace, email);
          const found = new Map<string, TaskJson>();
          for (const n of world.workflows.keys()) await look(person, world, n, user, found);
          // Linked tasks are those that were found, as they show themselves, each from both ends.
          for (const task of found.values()) checkLinks(task, found);
        }
      }),
      { numRuns: 3 },
    );
  });

  async function look(
    person: Person,
    { workflows, relationships }: World,
    n: number,
    user: number,
    found: Map<string, TaskJson>,
  ): Promise<void> {
    const workflow = workflows[n];
    if (!workflow) return;
    const slug = slugOf(n);
    const expected = tasks.filter((task) => sees(workflow, task, user)).map((task) => idOf(n, task));
    if (rolesOf(workflow, user).length === 0) {
      expect(await outcome(person.list(slug))).toMatch(/^404 /);
      return;
    }
    const { tasks: listed, total } = await person.list(slug, '_count=true');
    expect(idsOf(listed)).toEqual(expected);
    expect(total).toBe(expected.length);
    expect(idsOf((await person.list(slug, '_sort=Rank')).tasks)).toEqual(expected.toReversed());
    expect(idsOf((await person.list(slug, '_sort=-Rank&_limit=2')).tasks)).toEqual(expected.slice(0, 2));
    expect(idsOf((await person.list(slug, '_limit=3')).tasks)).toEqual(expected.slice(0, 3));
    for (const task of tasks) {
      const id = idOf(n, task);
      const isSeen = expected.includes(id);
      expect(await outcome(person.read(slug, id))).toMatch(isSeen ? /^done$/ : /^404 /);
      const verdict = await outcome(person.update(slug, { ID: id, Rank: TASKS - task }));
      expect(verdict.slice(0, 3)).toBe(!isSeen ? '404' : edits(workflow, task, user) ? 'don' : '403');
    }
    for (const task of listed) {
      const id = String(task['ID']);
      expect(await person.read(slug, id)).toEqual(task);
      for (const [r, { from, to }] of relationships.entries()) {
        if (from === n)
          expect(await person.links(slug, id, fromName(r))).toEqual(linkedUnder(task, fromName(r)));
        if (to === n) expect(await person.links(slug, id, toName(r))).toEqual(linkedUnder(task, toName(r)));
      }
      found.set(id, task);
    }
  }

  function checkLinks(task: TaskJson, found: ReadonlyMap<string, TaskJson>): void {
    for (const name of Object.keys(task)) {
      const [, end, n] = /^(From|To) (\d+)$/.exec(name) ?? [];
      if (n === undefined) continue;
      const back = end === 'From' ? toName(Number(n)) : fromName(Number(n));
      for (const linked of linkedUnder(task, name)) {
        const other = found.get(String(linked['ID']));
        expect(other).toMatchObject(linked);
        expect(idsOf(linkedUnder(other ?? {}, back))).toContain(task['ID']);
      }
    }
  }
});

const idsOf = (listed: readonly TaskJson[]): unknown[] => listed.map(({ ID }) => ID);

/** The linked tasks under a key, be it of one or of many. */
function linkedUnder(task: TaskJson, name: string): TaskJson[] {
  const value = task[name];
  if (Array.isArray(value)) return value as TaskJson[];
  return value == null ? [] : [value as TaskJson];
}
