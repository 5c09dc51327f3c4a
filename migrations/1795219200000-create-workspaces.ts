import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Workspaces, their users and keys, and the definition of their workflows. */
export class CreateWorkspaces1795219200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workspaces (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug text COLLATE "C" NOT NULL,
        name text NOT NULL,
        timezone text NOT NULL DEFAULT 'UTC',
        version integer NOT NULL DEFAULT 0,
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
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT users_email UNIQUE (workspace_id, email_key) DEFERRABLE INITIALLY DEFERRED
      );

      CREATE TABLE workflows (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id integer GENERATED ALWAYS AS IDENTITY,
        slug text COLLATE "C" NOT NULL,
        name text NOT NULL,
        position integer NOT NULL,
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
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows,
        CONSTRAINT stages_name UNIQUE (workspace_id, workflow_id, name) DEFERRABLE INITIALLY DEFERRED
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
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows,
        CONSTRAINT fields_id UNIQUE (workspace_id, id),
        CONSTRAINT fields_name UNIQUE (workspace_id, workflow_id, name) DEFERRABLE INITIALLY DEFERRED
      );

      CREATE TABLE checklist_template_items (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        title text NOT NULL,
        stage_id integer NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id, stage_id) REFERENCES stages
      );

      CREATE TABLE actions (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        stages text[] NOT NULL,
        requirements json NOT NULL,
        steps json NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows
      );

      CREATE TABLE roles (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        is_admin boolean NOT NULL,
        actions text[] NOT NULL,
        sees text NOT NULL CHECK (sees IN ('all', 'assigned')),
        position integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, id),
        FOREIGN KEY (workspace_id, workflow_id) REFERENCES workflows
      );

      CREATE TABLE members (
        workspace_id integer NOT NULL,
        workflow_id integer NOT NULL,
        user_id text COLLATE "C" NOT NULL,
        role_id text COLLATE "C" NOT NULL,
        position integer NOT NULL,
        PRIMARY KEY (workspace_id, workflow_id, user_id),
        FOREIGN KEY (workspace_id, user_id) REFERENCES users,
        FOREIGN KEY (workspace_id, workflow_id, role_id) REFERENCES roles
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
        PRIMARY KEY (workspace_id, id),
        FOREIGN KEY (workspace_id, from_workflow_id) REFERENCES workflows,
        FOREIGN KEY (workspace_id, to_workflow_id) REFERENCES workflows
      );

      CREATE TABLE api_keys (
        workspace_id integer NOT NULL REFERENCES workspaces,
        id text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        name text NOT NULL,
        scope text NOT NULL CHECK (scope IN ('read', 'write')),
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        last_used_on date,
        revoked_at timestamptz,
        PRIMARY KEY (workspace_id, id),
        CONSTRAINT api_keys_hash UNIQUE (hash)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE api_keys, relationships, members, roles, actions, checklist_template_items, fields, stages,
        workflows, users, workspaces
    `);
  }
}
