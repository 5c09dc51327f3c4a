import { type VNode } from 'preact';
import { type AlterationColumn, type ChangeColumn } from '../../entities/json-columns.js';
import { excerptsOf } from '../../definitions/merge/alterations.js';
import { type VersionHead } from '../../definitions/store/history.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { Instant } from '../parts/time.js';
import { type SignedIn } from '../reader.js';
import { AdminPage, DetailPage, MorePages, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';

const PATH = '/admin/definition/versions';

/** Every version of the definition. */
export function VersionsPage({ to, versions, next, isFirst }: VersionsProps): VNode {
  const { definition, definitions: words } = to.words.admin;
  return (
    <AdminPage to={to} title={words.history} above={{ href: '/admin/definition', name: definition }}>
      <div class="admin-column">
        <h1>{words.history}</h1>
        <VersionRows to={to} versions={versions} />
        <MorePages to={to} path={PATH} query={{}} next={next?.toString()} isFirst={isFirst} />
      </div>
    </AdminPage>
  );
}

interface VersionsProps {
  readonly to: Administrator;
  readonly versions: readonly VersionHead[];
  readonly next: number | undefined;
  readonly isFirst: boolean;
}

/** Versions, each in a line that leads to what it changed. */
export function VersionRows({ to, versions }: Pick<VersionsProps, 'to' | 'versions'>): VNode {
  const words = to.words.admin.definitions;
  if (versions.length === 0) return <Empty icon="history" title={words.noHistory} />;
  return (
    <ul class="rows">
      {versions.map(({ version, appliedAt, appliedBy, changes }) => {
        const told = changes.slice(0, MAX_TOLD).map((change) => sentenceOf(to, change));
        const rest = changes.length - told.length;
        return (
          <li>
            <a class="row version-row" href={`${PATH}/${version}`}>
              <span class="row-id">{version}</span>
              <span class="row-title">{[...told, ...(rest > 0 ? [words.more(rest)] : [])].join(', ')}</span>
              <span class="muted">{appliedBy}</span>
              <span class="row-due">
                <Instant at={appliedAt} to={to} timeZone={to.timeZone} isShort />
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

const MAX_TOLD = 3;

/** What a version changed, in words. */
export function VersionPage({
  to,
  version,
}: {
  readonly to: Administrator;
  readonly version: VersionHead;
}): VNode {
  const { definition, definitions: words, execution } = to.words.admin;
  const { appliedAt, appliedBy } = version;
  const changes = version.changes.slice(0, MAX_CHANGES);
  const rest = version.changes.length - changes.length;
  const title = execution.versionOf(version.version);
  return (
    <DetailPage
      to={to}
      title={title}
      lead={
        <>
          {words.applied} <Instant at={appliedAt} to={to} timeZone={to.timeZone} /> · {appliedBy}
        </>
      }
      above={{ href: PATH, name: `${definition} · ${words.history}` }}
    >
      <Section
        id="changes"
        title={
          <>
            {words.changes} <span class="count">{version.changes.length}</span>
          </>
        }
      >
        <ul class="changes-list">
          {changes.map((change) => (
            <li>
              <Change to={to} change={change} />
            </li>
          ))}
        </ul>
        {rest > 0 && <p class="muted">{words.more(rest)}</p>}
      </Section>
    </DetailPage>
  );
}

const MAX_CHANGES = 500;

const tones: Readonly<Record<ChangeColumn['kind'], Tone>> = {
  add: 'good',
  change: 'waiting',
  rename: 'waiting',
  remove: 'bad',
};

function Change({ to, change }: { readonly to: SignedIn; readonly change: ChangeColumn }): VNode {
  const words = to.words.admin.definitions;
  const { kind, what, name, detail, alterations = [] } = change;
  const renamed = kind === 'rename' ? ` → ${detail ?? ''}` : '';
  // What the alterations tell one by one, the detail says in a word.
  const isTold = kind === 'rename' || alterations.length > 0;
  return (
    <>
      <p class="change-head">
        <Badge tone={tones[kind]}>{words.kinds[kind]}</Badge>
        <span class="muted">{words.whats[what] ?? what}</span>
        <strong>{name + renamed}</strong>
        {!isTold && detail !== undefined && <span class="muted">{detail}</span>}
      </p>
      {alterations.length > 0 && (
        <ul class="alterations">
          {alterations.slice(0, MAX_CHANGES).map((alteration) => (
            <li>
              <Alteration to={to} alteration={alteration} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Alteration({
  to,
  alteration,
}: {
  readonly to: SignedIn;
  readonly alteration: AlterationColumn;
}): VNode {
  const words = to.words.admin.definitions;
  const { at, before, after, relaxes } = alteration;
  const [old, now] = excerptsOf(alteration);
  return (
    <>
      <code>{at}</code> {before !== undefined && <del>{old}</del>}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <ins>{now}</ins>} {relaxes && <Badge tone="bad">{words.relaxes}</Badge>}
    </>
  );
}

/** A change in a few words: `field Tier added`. */
function sentenceOf({ words }: SignedIn, { kind, what, name }: ChangeColumn): string {
  const { kinds, whats } = words.admin.definitions;
  return `${whats[what] ?? what} ${name} ${kinds[kind] ?? kind}`;
}
