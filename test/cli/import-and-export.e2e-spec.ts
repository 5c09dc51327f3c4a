import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { taskCommands } from '../../src/cli/task.commands.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const tasks = '/api/v1/workflows/things/tasks';

const folder = await temporaryFolder();
const { service, api, key } = await startServiceWith(everyType);

describe('wts import and wts export-tasks', () => {
  beforeEach(empty);

  async function empty(): Promise<void> {
    await service.dataSource.query(
      'UPDATE blobs SET workflow_id = NULL, task_id = NULL, unnamed_at = now(); DELETE FROM tasks',
    );
  }

  const ofThings = ['--workspace', 'acme', '--workflow', 'things'];
  const typed = (name: string, ...args: readonly string[]): Promise<Ended> =>
    wts(commandNamed(name, taskCommands()), [...args, ...ofThings], service.config.databaseUrl ?? '', folder);

  /** Imports a file of this text. */
  async function imported(
    file: string,
    text: string | Buffer,
    ...options: readonly string[]
  ): Promise<Ended> {
    await writeFile(join(folder, file), text);
    return typed('import', file, ...options);
  }

  async function fill(): Promise<void> {
    await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'p;1' }).expect(201);
    const base64contents = 'aGVsbG8=';
    const contract = [{ filename: 'a;"b".txt', contentType: 'text/plain', base64contents }];
    await api.post(tasks, {
      ID: 'full', Stage: 'In Review', 'Assigned To': 'mina@acme.test', Text: ' =1+"2", a ', 'Long Text': '=1\r\ntwo\n\u001b[31m',
      Number: '1.500', Price: 10, Phone: '+49 30 1', Day: '2026-01-02', Moment: '2026-01-02T03:04:05+01:00',
      Owner: 'theo@acme.test', Tier: 'Gold', Regions: ['APAC', 'EMEA'], 'Open?': true, Contract: contract,
      'E-mail': 'a@b.c', Website: 'https://x.test/?a=1;2', Parts: [{ 'Part ID': 'p;1' }],
    }).expect(201); // prettier-ignore
    for (const n of [1, 2, 3]) await api.post(tasks, { ID: `n-${n}` }).expect(201);
  }

  it('the import of an export changes nothing, in either format', async () => {
    await fill();
    const before = await service.dataSource.query('SELECT * FROM tasks ORDER BY id');
    const list = await api.read<unknown[]>(tasks);
    for (const format of ['ndjson', 'csv']) {
      const { code, out, err } = await typed('export-tasks', '--format', format);
      expect([code, err]).toEqual([0, '']);
      if (format === 'ndjson') expect(JSON.parse(`[${out.trimEnd().replaceAll('\n', ',')}]`)).toEqual(list);
      await writeFile(join(folder, `all.${format}`), out);
      expect(await typed('import', `all.${format}`)).toEqual({
        code: 0,
        out: '4 rows: 0 created, 0 updated, 4 unchanged, 0 rejected\n',
        err: '',
      });
    }
    expect(await service.dataSource.query('SELECT * FROM tasks ORDER BY id')).toEqual(before);

    await empty();
    const { out } = await typed('export-tasks', '--format', 'csv', '--no-links');
    expect(out).not.toContain('Parts');
  });

  it('control characters in data never reach a terminal', async () => {
    const line = JSON.stringify({ ID: 'a', Parts: [{ 'Part ID': '\u001b[2J\u009b\u202e' }] });
    const { err } = await imported('odd.ndjson', `${line}\n`);
    expect(err).toBe('row 1: Parts does not exist: \\u001b[2J\\u009b\\u202e\n');
  });

  it('reports refused rows with the reasons; the corrected file can be imported again', async () => {
    const text =
      '\ufeffID,Regions,Number,Text\r\na,EMEA; APAC,1,"x, y"\r\nb,Mars,many,\r\nc,,2\r\nd,"[""AMER""]",3,\r\n';
    expect(await imported('some.csv', text)).toEqual({
      code: 1,
      out: '4 rows: 2 created, 0 updated, 0 unchanged, 2 rejected\n',
      err:
        'row 2: Regions is not one of: EMEA, AMER, APAC; Number is not a number such as 1234.56\n' +
        'row 3: The row has 3 values, the header 4.\n',
    });
    const list = await api.read<{ ID: string; Regions: string[]; Text: string | null }[]>(tasks);
    expect(list.map(({ ID, Regions, Text }) => [ID, Regions, Text])).toEqual([
      ['a', ['EMEA', 'APAC'], 'x, y'],
      ['d', ['AMER'], null],
    ]);
    expect(
      (await imported('better.csv', text.replace('Mars,many', 'AMER,5').replace('c,,2', 'c,,2,'))).out,
    ).toContain('2 created, 0 updated, 2 unchanged');
  });

  it('reports refused lines of JSON in the same way', async () => {
    const { out, err } = await imported('some.ndjson', '{"ID":"a"}\n{ "ID":"b","Number":"many"}\nnonsense\n');
    expect(out).toBe('3 rows: 1 created, 0 updated, 0 unchanged, 2 rejected\n');
    expect(err).toBe(
      'row 2: Number is not a number such as 1234.56\nrow 3: The JSON is malformed at character 1.\n',
    );
  });

  it('takes what a spreadsheet writes: TRUE and FALSE, and linked tasks by their Unique IDs', async () => {
    for (const id of ['INV-1', 'INV-2'])
      await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': id }).expect(201);
    await writeFile(
      join(folder, 'sheet.csv'),
      'ID,Open?,Parts\na,TRUE,INV-1; INV-2\nb,False,\nc,perhaps,INV-9\nd,maybe,[INV-1\n',
    );
    expect(await typed('import', 'sheet.csv')).toEqual({
      code: 1,
      out: '4 rows: 2 created, 0 updated, 0 unchanged, 2 rejected\n',
      err: expect.stringMatching(
        /^row 3: Parts does not exist: INV-9; Open\? is neither true nor false\nrow 4: Open\? is neither true nor false; Parts is not an array of objects that name tasks/,
      ),
    });
    expect(await api.read(`${tasks}/a`)).toMatchObject({
      'Open?': true,
      Parts: [{ 'Part ID': 'INV-1' }, { 'Part ID': 'INV-2' }],
    });
  });

  it('reports the faults of a file, and writes nothing', async () => {
    const columns = 'it has columns that are not fields of the workflow';
    const others = [
      ['odd.csv', 'ID,Colour\na,red\n', `${columns}: Colour`],
      ['near.csv', 'ID,Txt\n', `${columns}: Txt (did you mean Text?)`],
      ['semi.csv', 'ID;Text\na;b\n', 'it has semicolons or tabs between its columns: save it with commas'],
      ['empty.csv', '', 'it has no header row'],
      ['array.json', '[{"ID":"a"}]', 'it is a JSON array, not lines of JSON'],
      ['torn.csv', 'ID,Text\na,"x\n', 'it is not valid CSV: '],
    ] as const;
    for (const [file, text, message] of others) {
      expect((await imported(file, text)).err).toContain(`${file}: ${message}`);
    }
    expect((await typed('import', 'none.csv')).err).toContain('none.csv: it cannot be read');
    const mixed = [Buffer.from('\ufeffID,Text\nfine,Größe\n'), Buffer.from('a,Gr\u00f6\u00dfe\n', 'latin1')];
    expect((await imported('latin.csv', Buffer.concat(mixed))).err).toBe(
      'latin.csv: it is not UTF-8: save it as "CSV UTF-8"\n',
    );
    expect(await api.get(tasks)).toMatchObject({ body: [] });
  });

  const rows = (from: number, to: number, text = 'fine'): string =>
    Array.from({ length: to - from + 1 }, (_, at) => `r-${from + at},${text}\r\n`).join('');
  const count = async (): Promise<number> => (await api.read<unknown[]>(tasks)).length;

  it('the structure of the whole file is checked before the first write', async () => {
    expect((await imported('long.csv', `ID,Text\r\n${rows(1, 600)}r-601,"torn\r\n`)).err).toContain(
      'long.csv: it is not valid CSV: ',
    );
    expect(await count()).toBe(0);
    expect((await imported('late.csv', `ID,Text\r\n${rows(1, 600)}r-601,a,b\r\n`)).out).toContain(
      '601 rows: 600 created',
    );
  });

  it('a pipe is refused, because the file is read twice', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    expect((await typed('import', 'pipe.csv')).err).toBe('pipe.csv: it is not a file\n');
  });

  /** Runs work while PostgreSQL refuses to store a task with the text `boom`. */
  async function failing<T>(work: () => Promise<T>): Promise<T> {
    await service.dataSource.query(`
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk broke'; END $$;
      CREATE TRIGGER fail_once BEFORE INSERT ON tasks FOR EACH ROW
      WHEN (NEW.field_values::text LIKE '%boom%') EXECUTE FUNCTION fail_once()`);
    return work().finally(() => service.dataSource.query('DROP FUNCTION fail_once CASCADE'));
  }

  it('an import that fails midway says what it has written, and can be repeated', async () => {
    expect(
      await failing(() => imported('half.csv', `ID,Text\r\n${rows(1, 600)}r-601,boom\r\n${rows(602, 700)}`)),
    ).toEqual({
      code: 1,
      out: '',
      err: 'half.csv: the disk broke. Written so far: 500 rows: 500 created, 0 updated, 0 unchanged, 0 rejected\n',
    });
    expect(await count()).toBe(500);
    expect((await typed('import', 'half.csv')).out).toContain('200 created, 0 updated, 500 unchanged');
    expect(await count()).toBe(700);
  });

  it('a batch that fails midway has answered every written row', async () => {
    const sent = Array.from({ length: 600 }, (_, at) => ({ ID: `r-${at}`, Text: at === 599 ? 'boom' : 'x' }));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
    const request = { method: 'POST', headers, body: sent.map((row) => JSON.stringify(row)).join('\n') };
    const before = await count();
    const answer = await failing(() => fetch(`${service.url}${tasks}/batch`, request).then(received));
    const answered = answer.trimEnd().split('\n').length;
    expect(answered).toBeGreaterThanOrEqual(500);
    expect(await count()).toBe(before + answered);
  });

  it('columns without a name are skipped at the end, and are named by their place elsewhere', async () => {
    expect(await imported('wide.csv', 'ID,Text,,\r\na,x,,\r\nb,y\r\nc,z,,more\r\n')).toMatchObject({
      out: '3 rows: 2 created, 0 updated, 0 unchanged, 1 rejected\n',
      err: 'row 3: The row has 4 values, the header 2.\n',
    });
    expect(
      (await imported('spaces.csv', 'ID,Text, ,\u00a0\r\na,x, \r\n , ,\r\n,,,\r\nb,y, ,\t\r\n')).out,
    ).toBe('2 rows: 0 created, 0 updated, 2 unchanged, 0 rejected\n');
    expect((await imported('gap.csv', 'ID,,Text\r\nd,x,y\r\n')).err).toBe(
      'gap.csv: its column 2 has no name: name a field, or delete the column\n',
    );
  });

  it('an empty Stage is blank: new tasks begin in the initial stage, and other tasks keep theirs', async () => {
    await api.post(tasks, { ID: 'old', Stage: 'In Review' }).expect(201);
    expect((await imported('stages.csv', 'ID,Stage\r\nold,\u00a0\r\nnew,\r\n')).out).toContain(
      '1 created, 0 updated, 1 unchanged',
    );
    expect(await api.read(`${tasks}/old`)).toMatchObject({ Stage: 'In Review' });
  });
});

/** The part of an answer that arrives before the connection is cut. */
async function received({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const bytes of body ?? []) text += Buffer.from(bytes).toString();
  } catch {
    // It was cut.
  }
  return text;
}
