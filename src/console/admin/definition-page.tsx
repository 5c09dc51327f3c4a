import { DefinitionsService } from '../../workflows/definition/definitions.service.js';
import { renderChange } from '../../workflows/definition/merge/diff.js';
import { renderChanges } from '../../workflows/definition/render-changes.js';
import { renderYaml } from '../../workflows/definition/source/write-yaml.js';
import { type VersionHead } from '../../workflows/definition/store/history.js';
import { Instant } from '../parts/time.js';
import { type Administrator, type AdminLine, adminPath, type AdminPage, type AdminRequest } from './admin-page.js'; // prettier-ignore
import { Code, CodeSection } from './facts.js';

/** The current definition, and its versions with their changes. */
export const definitionPage: AdminPage = {
  path: 'definition',
  one: 'version',
  isOfWorkspace: true,
  title: 'Definition',
  icon: 'history',
  lead: 'Workflows, users and roles come from a definition file. The operator applies the file. Here you can read the definition.',
  empty: ['No versions yet'],
  above: async (asked) => (
    <>
      <Code label="The definition in force" text={await yamlOf(asked)} />
      <h2>Versions</h2>
    </>
  ),
  async read({ reader, get }, { after }) {
    const before = after !== undefined && isVersion(after) ? { before: after } : {};
    const versions = await get(DefinitionsService).history(requesterOf(reader), before);
    const last = versions.at(-1)?.version ?? 1;
    return { lines: versions.map(versionLine), next: last > 1 ? String(last) : undefined };
  },
  keyLength: 2,
  async open([versions, of = ''], { reader, get }) {
    if (versions !== 'versions' || !isVersion(of)) return undefined;
    const found = await get(DefinitionsService).version(reader.workspace.id, Number(of));
    if (!found) return undefined;
    const { version, appliedAt, appliedBy, changes } = found;
    const text = renderChanges(changes).flat().join('\n');
    return {
      page: {
        title: `Version ${version}`,
        lead: (
          <>
            Applied <Instant at={appliedAt} /> · {appliedBy}
          </>
        ),
        content: <CodeSection title="Changes" text={text} />,
      },
    };
  },
};

const versionLine = ({ version, appliedAt, appliedBy, changes }: VersionHead): AdminLine => ({
  href: adminPath('definition', 'versions', String(version)),
  state: <span class="row-id">{version}</span>,
  title: changes.slice(0, MAX_TOLD).map(renderChange).join(', '),
  under: changes.length > MAX_TOLD && <span class="muted">{`All ${changes.length} changes`}</span>,
  asides: [<span class="muted">{appliedBy}</span>],
  due: <Instant at={appliedAt} isShort />,
});

const MAX_TOLD = 3;

const requesterOf = ({ workspace, user }: Administrator) => ({ workspaceId: workspace.id, keyId: user.id });

/** The whole definition, as `wts export` prints it. */
async function yamlOf({ reader, get }: AdminRequest): Promise<string> {
  return renderYaml((await get(DefinitionsService).read(requesterOf(reader))).document);
}

const isVersion = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text);
