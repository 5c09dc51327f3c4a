import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

/** Columns that tell the time of the service, by what their defaults were. */
const moved = {
  'now()': [
    ['tasks', 'created_at'],
    ['tasks', 'updated_at'],
  ],
  'clock_timestamp()': [
    ['tasks', 'stage_at'],
    ['events', 'happened_at'],
    ['comments', 'created_at'],
    ['definition_versions', 'applied_at'],
    ['webhooks', 'begins_at'],
    ['received_hooks', 'received_at'],
    ['rule_states', 'begins_at'],
    ['runs', 'created_at'],
    ['clock_changes', 'changed_at'],
  ],
} as const;

/** Columns whose defaults have called the function since there is one. */
const since = [
  ['schedule_states', 'applied_at'],
  ['schedule_states', 'counted_from'],
  ['timers', 'created_at'],
] as const;

/** Tasks, events and all that is due by them get their time from one function, which tests may move. */
export class TellTheTimeInOnePlace1795440000061 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // What an unreleased version has made takes no argument: beside it a call would be ambiguous.
    for (const [table, column] of since) await db.query(`ALTER TABLE ${table} ALTER ${column} DROP DEFAULT`);
    await db.query('DROP FUNCTION IF EXISTS service_now()');
    await createFunctions(db, 'service_now', 'note_stage');
    for (const [table, column] of since)
      await db.query(`ALTER TABLE ${table} ALTER ${column} SET DEFAULT service_now()`);
    for (const [time, columns] of Object.entries(moved))
      for (const [table, column] of columns)
        await db.query(`ALTER TABLE ${table} ALTER ${column} SET DEFAULT service_now(${time})`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const [time, columns] of Object.entries(moved))
      for (const [table, column] of columns)
        await db.query(`ALTER TABLE ${table} ALTER ${column} SET DEFAULT ${time}`);
  }
}
