import { entities } from '../../src/features.js';
import { createTestDatabase } from '../support/database.js';

// The workspaces themselves, keys that are looked up by their hash, and what is of no workspace.
const exceptions = ['workspaces_pkey', 'workspaces_slug', 'api_keys_hash', 'sign_in_failures_pkey'];

const database = await createTestDatabase();

describe('the schema of the database', () => {
  afterAll(() => database.drop());

  async function query<Row>(text: string): Promise<Row[]> {
    return database.dataSource.query<Row[]>(text);
  }

  it('every primary key, unique index and foreign key begins with workspace_id', async () => {
    const indexes = await query<{ name: string; first: string }>(`
      SELECT c.relname AS name, a.attname AS first
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND i.indrelid <> 'migrations'::regclass`);
    const keys = await query<{ name: string; first: string }>(`
      SELECT conrelid::regclass || '.' || conname AS name, a.attname AS first
      FROM pg_constraint JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1]
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
    expect(indexes.length).toBeGreaterThan(12);
    expect(keys.length).toBeGreaterThan(10);
    const isWrong = ({ name, first }: { name: string; first: string }): boolean =>
      first !== 'workspace_id' && !exceptions.includes(name);
    expect([...indexes, ...keys].filter(isWrong)).toEqual([]);
  });

  it('has exactly the tables and columns of the entities, with the same types', async () => {
    const columns = await query<{ column: string }>(`
      SELECT concat_ws(' ', table_name || '.' || column_name, data_type, is_nullable) AS column
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'migrations' ORDER BY 1`);
    const { driver } = database.dataSource;
    const expected = entities.flatMap((entity) => {
      const { tableName, columns } = database.dataSource.getMetadata(entity);
      return columns.map((column) => {
        const type = column.isArray ? 'ARRAY' : driver.normalizeType(column);
        return `${tableName}.${column.databaseName} ${type} ${column.isNullable ? 'YES' : 'NO'}`;
      });
    });
    expect(columns.map(({ column }) => column)).toEqual(expected.sort());
  });

  it('is removed and created again by the migrations', async () => {
    const { dataSource } = database;
    const count = dataSource.migrations.length;
    for (let step = 0; step < count; step += 1) await dataSource.undoLastMigration();
    expect(await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`)).toEqual([]); // prettier-ignore
    expect(await query(`SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace`)).toEqual(
      [],
    );
    expect(await dataSource.runMigrations()).toHaveLength(count);
  });
});
