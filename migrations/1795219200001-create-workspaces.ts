import { createFunctions } from '../src/common/database/functions.js';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Workspaces, users, definitions and workflows. */
export class CreateWorkspaces1795219200001 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await createFunctions(db, 'texts', 'time');
    await db.query(`
      CREATE TABLE workspaces (
        id integer GENERATED ALWAYS AS IDENTITY,
        slug text COLLATE "C" NOT NULL,
        name text NOT NULL,
        timezone text NOT NULL DEFAULT 'UTC',
        version integer NOT NULL DEFAULT 0,
        cursor_key bytea NOT NULL DEFAULT sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))),
        settings json NOT NULL DEFAULT '{}',
        PRIMARY KEY (id),
        CONSTRAINT workspaces_slug UNIQUE (slug)
      );

      CREATE TABLE users (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id text COLLATE "C" NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL GENERATED ALWAYS AS (lower(email)) STORED,
        first_name text,
        last_name text,
        active boolean NOT NULL DEFAULT true,
        position integer NOT NULL,
        last_signed_in_at timestamptz,
        away json,
        -- The kinds of mail that the user has chosen, and the time zone of the browser that the user used last.
        mail_choice text COLLATE "C" NOT NULL DEFAULT 'all' CHECK (mail_choice IN ('all', 'direct', 'none')),
        time_zone text COLLATE "C",
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT users_email UNIQUE (workspace_id, email_key) DEFERRABLE INITIALLY DEFERRED
      );
      CREATE INDEX users_email_key ON users (email_key) WHERE active;

      CREATE TABLE workflows (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id integer GENERATED ALWAYS AS IDENTITY,
        slug text COLLATE "C" NOT NULL,
        name text NOT NULL,
        position integer NOT NULL,
        search boolean NOT NULL DEFAULT false,
        settings json NOT NULL DEFAULT '{}',
        approvals_since timestamptz,
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT workflows_slug UNIQUE (workspace_id, slug)
      );

      CREATE TABLE stages (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL,
        is_initial boolean NOT NULL,
        is_end boolean NOT NULL,
        position integer NOT NULL,
        enter text NOT NULL DEFAULT 'freely' CHECK (enter IN ('freely', 'by_actions')),
        outcome text NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'dropped')),
        settings json NOT NULL DEFAULT '{}',
        PRIMARY KEY (workspace_id, workflow_id, id),
        CONSTRAINT stages_name UNIQUE (workspace_id, workflow_id, name) DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id)
      );

      CREATE TABLE fields (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        required boolean NOT NULL,
        editable boolean NOT NULL,
        settings json NOT NULL,
        position integer NOT NULL,
        former_options text[] NOT NULL DEFAULT '{}',
        PRIMARY KEY (workspace_id, workflow_id, id),
        CONSTRAINT fields_id UNIQUE (workspace_id, id),
        CONSTRAINT fields_name UNIQUE (workspace_id, workflow_id, name) DEFERRABLE INITIALLY DEFERRED,
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows (workspace_id, id)
      );

      CREATE TABLE relationships (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('one_to_one', 'one_to_many', 'many_to_one', 'many_to_many')),
        from_workflow_id integer NOT NULL,
        from_name text NOT NULL,
        to_workflow_id integer NOT NULL,
        to_name text NOT NULL,
        position integer NOT NULL,
        from_change text NOT NULL DEFAULT 'freely',
        to_change text NOT NULL DEFAULT 'freely',
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT relationships_kind UNIQUE (workspace_id, id, kind, from_workflow_id, to_workflow_id),
        CONSTRAINT relationships_change CHECK (from_change IN ('freely', 'by_actions') AND to_change IN ('freely', 'by_actions')),
        FOREIGN KEY (workspace_id, from_workflow_id) REFERENCES workflows (workspace_id, id),
        FOREIGN KEY (workspace_id, to_workflow_id) REFERENCES workflows (workspace_id, id)
      );

      CREATE TABLE checklist_template_items (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        title text NOT NULL,
        stage_id integer NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id, stage_id) REFERENCES stages (workspace_id, workflow_id, id)
      );

      CREATE TABLE channels (
        workspace_id integer NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL,
        position integer NOT NULL,
        type text NOT NULL,
        url text NOT NULL,
        PRIMARY KEY (workspace_id, id)
      );

      CREATE TABLE definition_versions (
        workspace_id integer NOT NULL REFERENCES workspaces,
        version integer NOT NULL,
        applied_at timestamptz(3) NOT NULL DEFAULT service_now(clock_timestamp()),
        applied_by text NOT NULL,
        changes json NOT NULL,
        definition json NOT NULL,
        PRIMARY KEY (workspace_id, version)
      );

      CREATE TABLE definition_migrations (
        workspace_id integer NOT NULL REFERENCES workspaces,
        migration text COLLATE "C" NOT NULL,
        PRIMARY KEY (workspace_id, migration)
      );

      -- Keeps the names of deleted stages and workflows for the stored events that refer to them.
      CREATE TABLE former_names (
        workspace_id integer NOT NULL,
        kind text COLLATE "C" NOT NULL CHECK (kind IN ('stage', 'workflow')),
        id integer NOT NULL,
        name text NOT NULL,
        is_end boolean,
        PRIMARY KEY (workspace_id, kind, id)
      );
    `);
    await createFunctions(db, 'definitions');
    await db.query(`
      CREATE TRIGGER remember_former_options BEFORE UPDATE OF type, settings ON fields
        FOR EACH ROW EXECUTE FUNCTION remember_former_options();
      CREATE TRIGGER keep_former_name AFTER DELETE ON stages
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('stage');
      CREATE TRIGGER keep_former_name AFTER DELETE ON workflows
        FOR EACH ROW EXECUTE FUNCTION keep_former_name('workflow');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE former_names, definition_migrations, definition_versions, channels,
        checklist_template_items, relationships, fields, stages, workflows, users,
        workspaces;
      DROP FUNCTION IF EXISTS assert_definition, keep_former_name, remember_former_options, fold_case, service_now, random_id;
    `);
  }
}
