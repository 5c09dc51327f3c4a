import { type MigrationInterface, type QueryRunner } from 'typeorm';

// One command at a time, since tables can be spread already.
const made = [
  'ALTER TABLE comments ADD said_by text',
  'ALTER TABLE executions ADD given jsonb',
  'ALTER TABLE runs ADD given jsonb',
  'ALTER TABLE timers ADD given jsonb',
];
const dropped = [
  'ALTER TABLE timers DROP given',
  'ALTER TABLE runs DROP given',
  'ALTER TABLE executions DROP given',
  'ALTER TABLE comments DROP said_by',
];

/** Comments of steps without a performer, and the values that actions ask for. */
export class SayItInTheFile1795440000092 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    for (const command of made) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const command of dropped) await db.query(command);
  }
}
