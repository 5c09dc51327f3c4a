import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { seedDefinition, unseedDefinition } from '../../src/workflows/definition/seed.js';

/**
 * An example of a migration that applies a definition, instead of `wts apply`. To use it, copy this file one
 * folder up, and change `../../src` to `../src`. Change the time stamp of the file, the class and `name`, and
 * the definition. Then start the service.
 */
export class SeedHelpdesk1795305600000 implements MigrationInterface {
  readonly name = 'SeedHelpdesk1795305600000';

  async up(db: QueryRunner): Promise<void> {
    await seedDefinition(db, this.name, helpdesk);
  }

  /** Restores the former definition. Throws if tasks would lose data, or if the definition has changed. */
  async down(db: QueryRunner): Promise<void> {
    await unseedDefinition(db, this.name);
  }
}

// With `String.raw`, a backslash such as that of the pattern '^\d{5}$' stays.
const helpdesk = String.raw`
workspace: { id: helpdesk, name: Helpdesk }
users:
  - { email: agent@helpdesk.test, first_name: Ada, last_name: Fox }
workflows:
  - id: tickets
    name: Tickets
    stages:
      - { name: Open }
      - { name: Closed, end: true }
    fields:
      - { name: Number, type: uniqueId, autoincrement: true }
      - { name: Subject, type: text, required: true }
      - { name: Priority, type: singleSelect, options: [Low, High], default: Low }
    actions:
      - id: close
        name: Close
        stages: [Open]
        requirements: { assigned: true }
        steps:
          - { name: Close, type: move_to_stage, stage: Closed }
`;
