import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createApiKey } from '../../../src/auth/api-keys.js';
import { WorkspaceEntity } from '../../../src/entities/workspace.entity.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { copyProject } from '../../support/project-copy.js';
import { until } from '../../support/until.js';

/** What somebody does to add a part: files that are new, and text that goes before an anchor of files that are there. */
interface Addition {
  readonly files?: Readonly<Record<string, string>>;
  readonly lines: Readonly<Record<string, readonly (readonly [before: string, text: string])[]>>;
}

const additions: Readonly<Record<string, Addition>> = {
  'a field type': {
    files: {
      'src/schema/types/score.ts': `
import Type from 'typebox';
import { textType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { readNumber } from './number.js';

const settings = Type.Object(
  { highest: Type.Integer({ title: 'Highest', description: 'The best score.', minimum: 2, maximum: 100 }) },
  { title: 'Score', description: 'A whole number from 1 to \`highest\`.', examples: [{ name: 'Quality', highest: 5 }] },
);

export const score = textType(settings, {
  example: { sent: 4, shown: '4' },
  parse(input, { highest }) {
    const read = readNumber(input, 0);
    if (read instanceof Invalid || (Number(read) >= 1 && Number(read) <= highest)) return read;
    return new Invalid(\`is not from 1 to \${highest}\`);
  },
  narrows: (from, to) => to.highest < from.highest,
  order: () => ({ by: 'number' }),
  openapiInput: ({ highest }) => ({ type: ['integer', 'null'], minimum: 1, maximum: highest }),
});
`,
    },
    lines: {
      'src/schema/field-types.ts': [
        ['import { singleSelect }', "import { score } from './types/score.js';\n"],
        ["  ['singleSelect', singleSelect],", "  ['score', score],\n"],
      ],
    },
  },
  'a field type that is shown otherwise than stored': {
    files: {
      'src/schema/types/duration.ts': `
import { plain, textType } from '../field-type.js';
import { Invalid } from '../invalid.js';

/** Hours and minutes, kept as minutes. */
export const duration = textType(plain('Duration', 'Hours and minutes, such as 1:30.', 'Length'), {
  example: { sent: '1:30', shown: '1:30' },
  expressionKind: 'number',
  parse(input) {
    const [, hours, minutes] = (typeof input === 'string' && /^(\\d{1,4}):([0-5]\\d)$/.exec(input)) || [];
    return minutes === undefined ? new Invalid('is not hours and minutes') : String(Number(hours) * 60 + Number(minutes));
  },
  serialize: (minutes) => \`\${Math.floor(Number(minutes) / 60)}:\${String(Number(minutes) % 60).padStart(2, '0')}\`,
  expressionValue: (minutes) => minutes,
  order: () => ({ by: 'number' }),
  indexedAs: 'number',
});
`,
    },
    lines: {
      'src/schema/field-types.ts': [
        ['import { singleSelect }', "import { duration } from './types/duration.js';\n"],
        ["  ['singleSelect', singleSelect],", "  ['duration', duration],\n"],
      ],
    },
  },
  'a step': {
    files: {
      'src/actions/steps/blank-fields.ts': `
import Type from 'typebox';
import { checkField } from '../../workspace/check/kit.js';
import { changeTask, stepType } from '../step.js';

export const blankFields = stepType(
  Type.Object(
    { fields: Type.Array(Type.String(), { title: 'Fields', description: 'Those that become blank.', minItems: 1 }) },
    { title: 'Blank fields', description: 'Takes their values away.', examples: [{ fields: ['Notes'] }] },
  ),
  {
    check({ fields }, scope, report) {
      fields.forEach((name, index) => checkField(fields, index, name, scope, report));
    },
    rename: (step, renames) => ({ ...step, fields: step.fields.map(renames.field) }),
    run({ fields }, run) {
      return changeTask(run, new Map(fields.map((name) => [name, null])));
    },
  },
);
`,
    },
    lines: {
      'src/actions/step-types.ts': [
        ['import { createLinkedTask }', "import { blankFields } from './steps/blank-fields.js';\n"],
        ["  ['move_to_stage', moveToStage],", "  ['blank_fields', blankFields],\n"],
      ],
    },
  },
  'a requirement': {
    files: {
      'src/actions/requirements/blank.ts': `
import Type from 'typebox';
import { checkField } from '../../workspace/check/kit.js';
import { requirementType } from '../requirement.js';

export const blank = requirementType(
  Type.Array(Type.String(), { title: 'Blank', description: 'Fields that must be blank.', examples: [['Notes']] }),
  {
    check(names, scope, report) {
      names.forEach((name, index) => checkField(names, index, name, scope, report));
    },
    rename: (names, renames) => names.map(renames.field),
    compile: (names) => ({ scope, task }) =>
      names
        .filter((name) => scope.workflow.schema.byName.get(name)?.isBlank?.(task) === false)
        .map((name) => ({ message: \`\${name} must be blank\`, about: name })),
  },
);
`,
    },
    lines: {
      'src/actions/requirement-types.ts': [
        ['import { checklist }', "import { blank } from './requirements/blank.js';\n"],
        ["  ['checklist', checklist],", "  ['blank', blank],\n"],
      ],
    },
  },
  'a requirement with data of its own': {
    files: {
      'src/actions/requirements/signatures.ts': `
import Type from 'typebox';
import { SignOffEntity } from '../../entities/sign-off.entity.js';
import { requirementType } from '../requirement.js';

export const signatures = requirementType(
  Type.Integer({ title: 'Signatures', description: 'How many must have signed.', minimum: 1, examples: [2] }),
  {
    async load(db, { scope: { workspaceId }, task }) {
      const signed = await db.findBy(SignOffEntity, { workspaceId, taskId: task.id });
      const byAction = new Map<string, number>();
      for (const { actionId } of signed) byAction.set(actionId, (byAction.get(actionId) ?? 0) + 1);
      return byAction;
    },
    compile: (count, _, actionId) => (_, byAction) => {
      const signed = byAction.get(actionId) ?? 0;
      return signed >= count ? [] : [{ message: \`Needs \${count} signatures, has \${signed}\` }];
    },
  },
);
`,
      'src/entities/sign-off.entity.ts': `
import { Entity, PrimaryColumn } from 'typeorm';

@Entity('sign_offs')
export class SignOffEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  actionId!: string;

  @PrimaryColumn('text')
  userId!: string;
}
`,
      'migrations/1795900000000-create-sign-offs.ts': `
import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class CreateSignOffs1795900000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(\`
      CREATE TABLE sign_offs (
        workspace_id integer NOT NULL, task_id bigint NOT NULL, action_id text NOT NULL, user_id text NOT NULL,
        PRIMARY KEY (workspace_id, task_id, action_id, user_id)
      )\`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE sign_offs');
  }
}
`,
    },
    lines: {
      'src/actions/requirement-types.ts': [
        ['import { checklist }', "import { signatures } from './requirements/signatures.js';\n"],
        ["  ['checklist', checklist],", "  ['signatures', signatures],\n"],
      ],
      'src/entities/entities.ts': [
        ['import { StageEntity }', "import { SignOffEntity } from './sign-off.entity.js';\n"],
        ['  StageEntity,', '  SignOffEntity,\n'],
      ],
      'src/cli/erase-workspace.ts': [["  'task_words',", "  'sign_offs',\n"]],
    },
  },
  'a step with another effect': {
    files: {
      'src/actions/effects/fax.ts': `
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type EffectKind } from '../effect.js';

interface Fax {
  readonly port: number;
  readonly to: string;
  readonly subject: string;
}

export const fax: EffectKind<Fax> = {
  room: ({ port, subject }) => ({ receiver: \`smtp \${port}\`, held: subject.length }),
  tries: () => ({ most: 3, timeoutMs: 5000 }),
  async attempt({ port, to, subject }, { idempotencyKey }, signal) {
    const socket = connect({ port, host: '127.0.0.1', signal });
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    const letter = \`Message-ID: <\${idempotencyKey}@wts.test>\\r\\nSubject: \${subject}\\r\\n.\`;
    try {
      await once(socket, 'connect');
      for (const said of [undefined, 'HELO wts', 'MAIL FROM:<wts@wts.test>', \`RCPT TO:<\${to}>\`, 'DATA', letter, 'QUIT']) {
        if (said !== undefined) socket.write(\`\${said}\\r\\n\`);
        const answer = String((await lines.next()).value);
        if (answer >= '4') return { reason: \`was answered \${answer.slice(0, 3)}\`, isPassing: answer < '5' };
      }
      return { answer: { task: null } };
    } finally {
      socket.destroy();
    }
  },
};
`,
      'src/actions/steps/send-fax.ts': `
import Type from 'typebox';
import { compileTemplate } from '../../expressions/template.js';
import { fax } from '../effects/fax.js';
import { shown, referredTo } from '../step-values.js';
import { stepType } from '../step.js';

const text = (title: string, example: string) => Type.String({ title, description: 'May hold templates.', examples: [example] });

export const sendFax = stepType(
  Type.Object(
    { to: text('To', 'ada@acme.test'), subject: text('Subject', 'Done'), port: Type.Integer({ title: 'Port', description: 'Of the server.' }) },
    { title: 'Send a fax', description: 'To one address.', examples: [{ to: 'ada@acme.test', subject: 'Done', port: 25 }] },
  ),
  {
    effect: fax,
    async run({ to, subject, port }, run) {
      const filled = compileTemplate(subject).render(({ name }) => shown(referredTo(name, run.context)));
      await run.effect(() => Promise.resolve({ to, port, subject: filled }));
    },
  },
);
`,
    },
    lines: {
      'src/actions/step-types.ts': [
        ['import { updateFields }', "import { sendFax } from './steps/send-fax.js';\n"],
        ["  ['move_to_stage', moveToStage],", "  ['send_fax', sendFax],\n"],
      ],
    },
  },
  'background work': {
    files: {
      'src/jobs/kinds/reminder.ts': `
import { sql } from '../../database/sql.js';
import { type JobKind } from '../job-kind.js';

interface Reminder {
  readonly workspaceId: number;
  readonly id: string;
}

interface ClaimedReminder extends Reminder {
  readonly fence: number;
}

const columns = 'workspace_id AS "workspaceId", id';
const lease = "lease_until = clock_timestamp() + make_interval(secs => $3::numeric / 1000)";
const due = {
  name: 'due-reminders',
  scope: 'all workspaces' as const,
  text: \`SELECT \${columns} FROM reminders WHERE done = 0 AND due_at < clock_timestamp() AND (lease_until IS NULL OR lease_until < clock_timestamp()) LIMIT $1\`,
};
const claim = {
  name: 'claim-reminder',
  text: \`UPDATE reminders SET fence = fence + 1, \${lease} WHERE workspace_id = $1 AND id = $2 AND done = 0 AND (lease_until IS NULL OR lease_until < clock_timestamp()) RETURNING \${columns}, fence\`,
};
const renew = {
  name: 'renew-reminder',
  text: \`UPDATE reminders SET \${lease} WHERE workspace_id = $1 AND id = $2 AND fence = $4 RETURNING id\`,
};
const finish = {
  name: 'finish-reminder',
  text: 'UPDATE reminders SET done = done + 1, lease_until = NULL WHERE workspace_id = $1 AND id = $2 AND fence = $3',
};

export const reminder: JobKind<Reminder, ClaimedReminder> = {
  name: 'reminder',
  pauseMs: 100,
  places: 2,
  shares: {},
  staysInQueue: true,
  isLeaseStrict: false,
  keyOf: ({ workspaceId, id }) => \`\${workspaceId}/\${id}\`,
  due: ({ db }, { limit }) => sql(db, due, [limit]),
  claim: async ({ db, config }, { workspaceId, id }) => (await sql<ClaimedReminder>(db, claim, [workspaceId, id, config.leaseMs]))[0],
  renew: async ({ db, config }, { workspaceId, id, fence }) => (await sql(db, renew, [workspaceId, id, config.leaseMs, fence])).length > 0,
  async run({ db }, { workspaceId, id, fence }) {
    await sql(db, finish, [workspaceId, id, fence]);
    return [];
  },
};
`,
      'migrations/1795900000001-create-reminders.ts': `
import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class CreateReminders1795900000001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(\`
      CREATE TABLE reminders (
        workspace_id integer NOT NULL, id bigint NOT NULL, due_at timestamptz NOT NULL, lease_until timestamptz,
        fence integer NOT NULL DEFAULT 0, done integer NOT NULL DEFAULT 0, PRIMARY KEY (workspace_id, id)
      )\`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE reminders');
  }
}
`,
    },
    lines: {
      'src/jobs/kinds.ts': [
        ['import { indexSweep }', "import { reminder } from './kinds/reminder.js';\n"],
        ['] as unknown', '  reminder,\n'],
      ],
      'src/cli/erase-workspace.ts': [["  'task_words',", "  'reminders',\n"]],
    },
  },
  'an endpoint': {
    lines: {
      'src/definitions/definitions.controller.ts': [
        [
          "  @Get('workflows')",
          "  @Get('stage-count')\n  stageCount(@CurrentWorkspace() { rows }: Workspace): object {\n    return { stages: rows.stages.length };\n  }\n\n",
        ],
      ],
      'src/definitions/definitions.openapi.ts': [
        [
          '    workflows: read(',
          "    stageCount: read('countStages', 'Count the stages', { type: 'object' }, 'Of all workflows.'),\n",
        ],
      ],
      'test/http/rows.ts': [["  'GET /api/v1/workflows': {},", "  'GET /api/v1/stage-count': {},\n"]],
      'test/http/openapi-examples.e2e-spec.ts': [
        ["    await get('listWorkflows',", "    await get('countStages', '/api/v1/stage-count');\n"],
      ],
    },
  },
  'a setting of a stage': {
    lines: {
      'src/workspace/stage-definition.ts': [
        [
          "  was: former('Former name'),",
          "  due_in: Type.Optional(Type.String({ title: 'Due in', description: 'How long a task stays.' })),\n",
        ],
      ],
    },
  },
  'a setting': {
    lines: {
      'src/config.ts': [
        ['  readonly logLevel: LogLevel;', '  /** What a start says. */\n  readonly greeting: string;\n'],
        [
          '    author: read<',
          "    greeting: read('WTS_GREETING', 'Hello', (text) => (text.length < 20 ? text : undefined), 'short'),\n",
        ],
      ],
      'docs/reference/settings.md': [['| `WTS_AUTHOR`', '| `WTS_GREETING` | Hello | what a start says |\n']],
    },
  },
};

const definition = (highest: string, smtp = 25): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New, due_in: 3 days }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Quality, type: score${highest} }
      - { name: Note, type: text }
      - { name: Length, type: duration }
    actions:
      - id: sign
        name: Sign
        requirements:
          signatures: 2
          conditions: [{ when: 'task["Length"] > 60', message: Takes more than an hour }]
        steps: [{ name: Note it, type: update_fields, set: { Note: signed } }]
      - id: reset
        name: Reset
        requirements: { blank: [Note] }
        steps: [{ name: Start anew, type: blank_fields, fields: [Quality] }]
      - id: tell
        name: Tell
        steps:
          - { name: Write to Ada, type: send_fax, to: ada@acme.test, subject: '{{Note}} is ready', port: ${smtp} }
          - { name: Note it, type: update_fields, set: { Note: told } }
`;

const run = promisify(execFile);

describe('“Where a change goes” in docs/architecture.md', () => {
  const touched = new Map<string, string[]>();
  let folder: string;
  let database: TestDatabase;
  let service: OtherProcess;
  let key: string;

  beforeAll(async () => {
    [folder, database] = await Promise.all([copyProject(['docs', 'test/http']), createTestDatabase()]);
    for (const [kind, addition] of Object.entries(additions)) touched.set(kind, await add(folder, addition));
    await run(process.execPath, ['build.mjs'], { cwd: folder });
    await apply(definition(', highest: 5'));
    const { id } = await database.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const scope = { workspaceId: id, name: 'test', scope: 'write', expiresAt: null } as const;
    key = await createApiKey(database.dataSource.manager, scope);
    service = await startOtherProcess(database.url, { WTS_GREETING: 'Hi' }, folder);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** Applies a definition by the command line of the copy. */
  async function apply(yaml: string): Promise<string> {
    await writeFile(join(folder, 'acme.yaml'), yaml);
    const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, WTS_GREETING: 'Hi' };
    const { stdout } = await run(process.execPath, ['dist/wts.js', 'apply', 'acme.yaml'], {
      cwd: folder,
      env,
    });
    return stdout;
  }

  async function send(method: string, path: string, body?: object): Promise<unknown[]> {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Prefer: 'wait=10' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const shown: unknown = await answer.json();
    return [answer.status, shown];
  }

  /** Starts an execution, and gives its end. */
  async function perform(task_id: string, action_id: string): Promise<unknown[]> {
    const executions = '/workflows/things/executions';
    let answer = await send('POST', executions, { task_id, action_id });
    await until(`the end of ${action_id}`, async () => {
      const { id = '', status } = answer[1] as { readonly id?: string; readonly status: string };
      if (status === 'Pending') answer = await send('GET', `${executions}/${id}`);
      return status !== 'Pending';
    });
    return answer;
  }

  it.each(Object.keys(additions))('%s takes the files that it names, and no other', (kind) => {
    expect(touched.get(kind)?.length).toBe(filesOf(kind).length);
    for (const pattern of filesOf(kind))
      expect(touched.get(kind)).toContainEqual(expect.stringMatching(pattern));
  });

  it('a field type with a setting works from definition to answer', async () => {
    const [status, task] = await send('POST', '/workflows/things/tasks', { ID: '1', Quality: 4 });
    expect([status, task]).toEqual([201, expect.objectContaining({ Quality: '4' })]);
    expect(await send('POST', '/workflows/things/tasks', { ID: '2', Quality: 9 })).toEqual([
      422,
      { errors: { Quality: ['is not from 1 to 5'] } },
    ]);
    const [, fields] = await send('GET', '/workflows/things/fields');
    expect(fields).toContainEqual(expect.objectContaining({ name: 'Quality', type: 'score', highest: 5 }));
    const [, document] = await send('GET', '/workflows/things/openapi.json');
    expect(JSON.stringify(document)).toContain(
      '"Quality":{"type":["integer","null"],"minimum":1,"maximum":5}',
    );
  });

  it('its setting is required, read, and narrowed as it says', async () => {
    const wrong = apply(definition(', highest: many }\n      - { name: Rest, type: score'));
    await expect(wrong).rejects.toThrow(
      /fields\[1\]\.highest: is not a whole number[^]*fields\[2\]\.highest: is required/,
    );
    expect(await apply(definition(', highest: 3'))).toContain('1 "4" (is not from 1 to 3)');
  });

  it('a requirement and a step do', async () => {
    await send('POST', '/workflows/things/tasks', { ID: '3', Quality: 1, Note: 'keep' });
    expect(await perform('3', 'reset')).toEqual([422, { status: 'Fail', errors: ['Note must be blank'] }]);
    expect(await perform('1', 'reset')).toEqual([200, expect.objectContaining({ status: 'Success' })]);
    const [, task] = await send('GET', '/workflows/things/tasks/1');
    expect(task).toMatchObject({ Quality: null });
  });

  it('a field that is shown otherwise than stored stands in conditions by its value', async () => {
    const signed = async (Length: string): Promise<unknown> => {
      await send('POST', '/workflows/things/tasks', { ID: '5', Length });
      return (await perform('5', 'sign'))[1];
    };
    expect(await signed('0:59')).toEqual({
      status: 'Fail',
      errors: ['Needs 2 signatures, has 0', 'Takes more than an hour'],
    });
    expect(await signed('1:01')).toEqual({ status: 'Fail', errors: ['Needs 2 signatures, has 0'] });
    expect(await send('GET', '/workflows/things/tasks?Length[gt]=0:59')).toEqual([
      200,
      [expect.objectContaining({ ID: '5', Length: '1:01' })],
    ]);
  });

  it('a requirement reads data of its own', async () => {
    await database.dataSource.query(`
      INSERT INTO sign_offs SELECT workspace_id, id, 'sign', signer FROM tasks, unnest(ARRAY['ada', 'bob']) signer WHERE unique_value = '5'`);
    expect(await perform('5', 'sign')).toMatchObject([200, { status: 'Success' }]);
    expect(await send('GET', '/workflows/things/tasks/5')).toEqual([
      200,
      expect.objectContaining({ Note: 'signed' }),
    ]);
  });

  it('a step does something else outside: it is tried again while it may succeed, and done once', async () => {
    const server = await startMailServer();
    await apply(definition(', highest: 3', server.port));
    await send('POST', '/workflows/things/tasks', { ID: '6', Note: 'Invoice' });
    expect(await perform('6', 'tell')).toMatchObject([200, { status: 'Success' }]);
    expect(server.letters).toHaveLength(2);
    expect(server.letters[1]).toMatch(/^Message-ID: <[\w-]+\.0@wts\.test>\nSubject: Invoice is ready$/);
    expect(server.letters[0]).toBe(server.letters[1]);
    server.refuse();
    expect(await perform('6', 'tell')).toEqual([
      200,
      expect.objectContaining({ status: 'Fail', errors: ['Write to Ada: was answered 550'] }),
    ]);
    await server.close();
  });

  it('work of a new kind is claimed, done once, and found where nobody was told of it', async () => {
    await database.dataSource.query(`
      INSERT INTO reminders (workspace_id, id, due_at) SELECT w.id, n, now() + CASE n WHEN 9 THEN interval '1 day' ELSE interval '0' END
      FROM workspaces w, generate_series(0, 9) n`);
    const read = (): Promise<unknown[]> =>
      database.dataSource.query(
        'SELECT done, count(*)::integer AS rows, max(fence) AS claims FROM reminders GROUP BY done ORDER BY done',
      );
    const isDone = async (): Promise<boolean> => JSON.stringify(await read()).includes('"done":1,"rows":9');
    await until(isDone);
    expect(await read()).toEqual([
      { done: 0, rows: 1, claims: 0 },
      { done: 1, rows: 9, claims: 1 },
    ]);
  });

  it('a setting of a stage is kept, shown and known to the compiled stage', async () => {
    expect(await send('GET', '/workflows/things')).toEqual([
      200,
      expect.objectContaining({
        stages: [
          { name: 'New', initial: false, end: false, enter: 'freely', due_in: '3 days' },
          { name: 'Done', initial: false, end: true, enter: 'freely' },
        ],
      }),
    ]);
    expect(await apply(definition(', highest: 3').replace('3 days', '4 days'))).toContain('due_in');
    await expect(apply(definition(', highest: 3').replace('3 days', '[3]'))).rejects.toThrow(
      /due_in: is not/,
    );
  });

  it('an endpoint does, and is described', async () => {
    expect(await send('GET', '/stage-count')).toEqual([200, { stages: 2 }]);
    const document = await (await fetch(`${service.url}/docs/openapi.json`)).json();
    expect(document).toHaveProperty(['paths', '/api/v1/stage-count', 'get', 'operationId'], 'countStages');
  });

  it('a setting is known: no start warns of it', () => {
    expect(service.output()).not.toContain('WTS_GREETING');
  });

  it('the schema, the reference and OpenAPI tell of all of them', async () => {
    const print = (what: string): Promise<{ stdout: string }> =>
      run(process.execPath, [`dist/src/cli/print-definition-${what}.js`], { cwd: folder });
    const openapi = await (await fetch(`${service.url}/docs/openapi.json`)).text();
    const printed = await Promise.all([print('schema'), print('reference')]);
    for (const text of [openapi, ...printed.map(({ stdout }) => stdout)])
      for (const name of [
        'score',
        'highest',
        'blank_fields',
        'Fields that must be blank.',
        'duration',
        'signatures',
        'send_fax',
        'due_in',
      ])
        expect(text).toContain(name);
  });
});

/** An SMTP server that cannot take the first letter, takes the second, and refuses all when it is told to. */
async function startMailServer(): Promise<{
  readonly port: number;
  readonly letters: string[];
  readonly refuse: () => void;
  readonly close: () => Promise<void>;
}> {
  const letters: string[] = [];
  let answer = '451 later';
  const server = createServer((socket) => {
    const lines: string[] = [];
    let isLetter = false;
    socket.on('error', () => undefined).write('220 hello\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (isLetter && line !== '.') lines.push(line);
      else if (isLetter) {
        letters.push(lines.join('\n'));
        socket.write(`${answer}\r\n`);
        if (answer.startsWith('4')) answer = '250 taken';
        isLetter = false;
      } else {
        isLetter = line === 'DATA';
        socket.write(isLetter ? '354 go on\r\n' : '250 well\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    letters,
    refuse: () => (answer = '550 never'),
    close: () => new Promise((resolve) => server.close(() => { resolve(); })), // prettier-ignore
  };
}

/** Adds a part to the copy, and says which files that took. */
async function add(folder: string, { files = {}, lines }: Addition): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text, { flag: 'wx' });
  for (const [path, insertions] of Object.entries(lines)) {
    let text = await readFile(join(folder, path), 'utf8');
    for (const [before, inserted] of insertions) {
      if (!text.includes(before)) throw new Error(`${path} has no ${before}`);
      text = text.replace(before, () => inserted + before);
    }
    await writeFile(join(folder, path), text);
  }
  return [...Object.keys(files), ...Object.keys(lines)];
}

/** The files that docs/architecture.md names for a kind of change; `x` stands for any name. */
function filesOf(kind: string): RegExp[] {
  const map = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
  const [, cell = ''] = new RegExp(`^\\| ${kind} +\\|([^|]*)\\|`, 'm').exec(map) ?? [];
  return [...cell.matchAll(/`([^`]+)`/g)].map(
    ([, path = '']) => new RegExp(`(^|/)${path.replaceAll('.', '\\.').replace(/\bx(?=\\)/, '[\\w-]+')}$`),
  );
}
