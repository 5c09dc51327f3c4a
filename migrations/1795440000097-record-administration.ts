import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createFunctions } from '../src/database/functions.js';

const called = (name: string, shown: string, watched: string): string =>
  `FOR EACH ROW EXECUTE FUNCTION record_administration('${name}', '{${shown}}', '{${watched}}')`;

// By their id, so that an erased user is no longer named.
const user = called('user', 'id,active', 'email,first_name,last_name,active');
const watched = 'url,events,workflows,fields,condition,content,headers,state,secret';
const webhook = called('webhook', 'id,managed_by,state', watched);

// One command at a time, since tables can be spread already. What is used or sent changes other columns.
const made = [
  `CREATE TRIGGER record_user AFTER INSERT OR UPDATE OF email, first_name, last_name, active ON users ${user}`,
  `CREATE TRIGGER record_webhook AFTER INSERT OR DELETE ON webhooks ${webhook}`,
  // Of one that is disabled tells what disables it.
  `CREATE TRIGGER record_changed_webhook AFTER UPDATE OF ${watched} ON webhooks
   FOR EACH ROW WHEN (OLD.state = 'disabled' OR NEW.state <> 'disabled')
   ${webhook.replace('FOR EACH ROW ', '')}`,
];

const undone = [
  'DROP TRIGGER record_changed_webhook ON webhooks',
  'DROP TRIGGER record_webhook ON webhooks',
  'DROP TRIGGER record_user ON users',
  'DROP FUNCTION record_administration',
];

/** Events of users and webhooks. Those of keys come with the statements that change them: on Citus each node has all keys. */
export class RecordAdministration1795440000097 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'record_administration');
    for (const command of made) await db.query(command);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const command of undone) await db.query(command);
  }
}
