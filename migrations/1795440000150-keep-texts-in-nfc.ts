import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Texts of the tables. Those of events, runs and messages stay: they say what happened. */
const texts: Readonly<Record<string, readonly string[]>> = {
  workspaces: ['name'],
  workflows: ['name'],
  stages: ['name'],
  fields: ['name'],
  relationships: ['from_name', 'to_name'],
  roles: ['name'],
  actions: ['name'],
  checklist_template_items: ['title'],
  checklist_items: ['title'],
  comments: ['body'],
  approvals: ['comment'],
  users: ['first_name', 'last_name'],
  api_keys: ['name'],
  webhooks: ['condition'],
  blobs: ['filename'],
};

const documents: Readonly<Record<string, readonly [column: string, type: 'json' | 'jsonb'][]>> = {
  workspaces: [['settings', 'json']],
  workflows: [['settings', 'json']],
  stages: [['settings', 'json']],
  fields: [['settings', 'json']],
  roles: [['settings', 'json']],
  actions: [['requirements', 'json'], ['steps', 'json'], ['settings', 'json']], // prettier-ignore
  definition_versions: [['definition', 'json']],
  api_keys: [['narrowing', 'jsonb']],
  tasks: [['field_values', 'jsonb']],
};

/** JSON in NFC. A mark must not be composed with the letter of an escape before it. */
const inNfc = (column: string): string =>
  String.raw`replace(normalize(regexp_replace(${column}::text, '\\(u[0-9a-f]{4}|.)', '\&' || chr(1), 'g'), NFC), chr(1), '')`;

/** What a text consists of that is blank, as `isBlankText` has it. */
const space = String.raw`\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff`;

const commands = [
  // The migration is no change that rules, approvals or webhooks act on.
  `SELECT set_config('wts.origin', 'none', true)`,
  ...Object.entries(texts).flatMap(([table, columns]) =>
    columns.map(
      (column) =>
        `UPDATE ${table} SET ${column} = normalize(${column}, NFC) WHERE ${column} IS NOT NFC NORMALIZED`,
    ),
  ),
  ...Object.entries(documents).flatMap(([table, columns]) =>
    columns.map(
      ([column, type]) =>
        `UPDATE ${table} SET ${column} = ${inNfc(column)}::${type} WHERE ${column}::text IS NOT NFC NORMALIZED`,
    ),
  ),
  `UPDATE fields SET former_options = ARRAY(
     SELECT normalize(option, NFC) FROM unnest(former_options) WITH ORDINALITY former (option, place)
     WHERE (settings::jsonb -> 'options' ? normalize(option, NFC)) IS NOT TRUE GROUP BY 1 ORDER BY min(place)
   ) WHERE array_to_string(former_options, '') IS NOT NFC NORMALIZED`,
  // Where both spellings are taken, the later one keeps its own: nobody can say which of the two is meant.
  ...[
    ['tasks', 'workspace_id, workflow_id', 'unique_value', 'unique_value', 'id'],
    ['users', 'workspace_id', 'email', 'email_key', 'id'],
    ['personal_views', 'workspace_id, user_id', 'name', 'name', 'id'],
  ].map(
    ([table = '', place = '', column = '', key = '', id = '']) => `
      UPDATE ${table} t SET ${column} = normalize(t.${column}, NFC)
      FROM (
        SELECT DISTINCT ON (${place}, normalize(${key}, NFC)) ${place}, ${id} FROM ${table} other
        WHERE ${column} IS NOT NFC NORMALIZED AND NOT EXISTS (
          SELECT FROM ${table} taken WHERE (${place.replace(/\w+/g, 'taken.$&')}, taken.${key})
            = (${place.replace(/\w+/g, 'other.$&')}, normalize(other.${key}, NFC))
        )
        ORDER BY ${place}, normalize(${key}, NFC), ${id}
      ) free
      WHERE (${place.replace(/\w+/g, 't.$&')}, t.${id}) = (${place.replace(/\w+/g, 'free.$&')}, free.${id})`,
  ),
  `UPDATE tasks SET field_values = field_values - ARRAY(
     SELECT key FROM jsonb_each(field_values)
     WHERE jsonb_typeof(value) = 'string' AND value #>> '{}' ~ '^[${space}]*$'
   ) WHERE field_values::text ~ ': "([${space}]|\\\\[tnrf]|\\\\u000b)*"'`,
];

/** Texts are in NFC, in which equal texts are equal, and a text of white space only is blank. */
export class KeepTextsInNfc1795440000150 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const command of commands) await db.query(command);
  }

  down(): Promise<void> {
    // How a text was spelled before is not known any more.
    return Promise.resolve();
  }
}
