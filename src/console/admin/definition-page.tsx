import { webhooks as webhookLists } from '../../webhooks/webhooks.kind.js';
import { useReader } from '../reader.js';
import { en } from './words.js';
import { type VNode } from 'preact';
import { type VersionHead } from '../../definitions/store/history.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';
import { AdminRows } from './admin-list.js';
import { DetailPage, type FactRow, Facts, Section } from './admin-page.js';
import { VersionRows } from './versions-page.js';

interface DefinitionProps {
  readonly definition: WorkspaceDefinition;
  /** The latest. */
  readonly versions: readonly VersionHead[];
}

/** The definition in force: what it holds, and what was changed last. */
export function DefinitionPage({ definition, versions }: DefinitionProps): VNode {
  const { definition: title, definitions: words, webhooks, users } = en.admin;
  const { workflows, relationships } = definition;
  const receivers = webhookLists.in(definition).length;
  const { workspace } = useReader();
  const rows: FactRow[] = [
    [words.version, <a href={`/admin/definition/versions/${workspace.version}`}>{workspace.version}</a>],
    [users, <a href="/admin/users">{definition.users.length}</a>],
    [webhooks, receivers > 0 && <a href="/admin/webhooks">{receivers}</a>],
  ];
  return (
    <DetailPage title={title} lead={words.lead}>
      <Facts rows={rows} />
      <div class="actions">
        <a class="button" href="/admin/definition/file" data-turbo="false">
          {words.file}
        </a>
      </div>
      <Section id="workflows" title={en.workflows}>
        <AdminRows
          things={workflows}
          row={({ id, name, stages, fields, actions }) => ({
            href: `/admin/definition/workflows/${encodeURIComponent(id)}`,
            title: name,
            due: words.contents(stages.length, fields.length, actions.length),
          })}
        />
      </Section>
      {relationships.length > 0 && (
        <Section id="relationships" title={words.relationships}>
          <ul class="plain-list stack gap-1">
            {relationships.map(({ from, kind, to }) => (
              <li>
                {from.workflow} · {from.name} <span class="muted">{words.relations[kind]}</span> {to.workflow}{' '}
                · {to.name}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section
        id="history"
        title={en.task.history}
        beside={<a href="/admin/definition/versions">{words.all}</a>}
      >
        <VersionRows versions={versions} />
      </Section>
    </DetailPage>
  );
}
