import { en } from './words.js';
import { type VNode } from 'preact';
import { type AlterationColumn, type ChangeColumn } from '../../database/json-columns.js';
import { excerptsOf } from '../../lib/excerpts.js';
import { type VersionHead } from '../../definitions/store/history.js';
import { Badge, type Tone } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { useReader, type SignedIn } from '../reader.js';
import { type AdminRow, AdminRows, MorePages } from './admin-list.js';
import { DetailPage, Section } from './admin-page.js';

const PATH = '/admin/definition/versions';

/** Every version of the definition. */
export function VersionsPage({ versions, next, isFirst }: VersionsProps): VNode {
  const { definition } = en.admin;
  return (
    <DetailPage title={en.task.history} above={{ href: '/admin/definition', name: definition }}>
      <VersionRows versions={versions} />
      <MorePages path={PATH} next={next?.toString()} isFirst={isFirst} />
    </DetailPage>
  );
}

interface VersionsProps {
  readonly versions: readonly VersionHead[];
  readonly next: number | undefined;
  readonly isFirst: boolean;
}

/** Versions, each in a line that leads to what it changed. */
export function VersionRows({ versions }: Pick<VersionsProps, 'versions'>): VNode {
  const reader = useReader();
  const words = en.admin.definitions;
  const row = ({ version, appliedAt, appliedBy, changes }: VersionHead): AdminRow => {
    const told = changes.slice(0, MAX_TOLD).map((change) => sentenceOf(reader, change));
    const rest = changes.length - told.length;
    return {
      href: `${PATH}/${version}`,
      state: <span class="row-id">{version}</span>,
      title: [...told, ...(rest > 0 ? [en.task.moreLinked(rest)] : [])].join(', '),
      asides: [<span class="muted">{appliedBy}</span>],
      due: <Instant at={appliedAt} isShort />,
    };
  };
  return <AdminRows things={versions} row={row} empty={['history', words.noHistory]} />;
}

const MAX_TOLD = 3;

/** What a version changed, in words. */
export function VersionPage({ version }: VersionProps): VNode {
  const { definition, definitions: words, execution } = en.admin;
  const { appliedAt, appliedBy } = version;
  const changes = version.changes.slice(0, MAX_CHANGES);
  const rest = version.changes.length - changes.length;
  const title = execution.versionOf(version.version);
  return (
    <DetailPage
      title={title}
      lead={
        <>
          {words.applied} <Instant at={appliedAt} /> · {appliedBy}
        </>
      }
      above={{ href: PATH, name: `${definition} · ${en.task.history}` }}
    >
      <Section
        id="changes"
        title={
          <>
            {words.changes} <span class="count">{version.changes.length}</span>
          </>
        }
      >
        <ul class="rows changes-list">
          {changes.map((change) => (
            <li>
              <Change change={change} />
            </li>
          ))}
        </ul>
        {rest > 0 && <p class="muted">{en.task.moreLinked(rest)}</p>}
      </Section>
    </DetailPage>
  );
}

interface VersionProps {
  readonly version: VersionHead;
}

const MAX_CHANGES = 500;

const tones: Readonly<Record<ChangeColumn['kind'], Tone>> = {
  add: 'good',
  change: 'waiting',
  rename: 'waiting',
  remove: 'bad',
};

function Change({ change }: { readonly change: ChangeColumn }): VNode {
  const reader = useReader();
  const words = en.admin.definitions;
  const { kind, what, name, detail, alterations = [], relaxes } = change;
  const renamed = kind === 'rename' ? ` → ${detail ?? ''}` : '';
  // What the alterations tell one by one, the detail says in a word.
  const isTold = kind === 'rename' || alterations.length > 0;
  return (
    <>
      <p class="change-head line">
        <Badge tone={tones[kind]}>{words.kinds[kind]}</Badge>
        <span class="muted">{words.whats[what] ?? what}</span>
        <strong>{name + renamed}</strong>
        {!isTold && detail !== undefined && <span class="muted">{detail}</span>}
        {relaxes && <Badge tone="bad">{words.relaxes}</Badge>}
      </p>
      {alterations.length > 0 && (
        <ul class="alterations stack gap-1">
          {alterations.slice(0, MAX_CHANGES).map((alteration) => (
            <li>{alterationIn(reader, alteration)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function alterationIn({}: SignedIn, alteration: AlterationColumn): VNode {
  const { at, before, after, relaxes } = alteration;
  const [old, now] = excerptsOf(alteration);
  return (
    <>
      <code>{at}</code> {before !== undefined && <del>{old}</del>}
      {before !== undefined && after !== undefined && ' → '}
      {after !== undefined && <ins>{now}</ins>}{' '}
      {relaxes && <Badge tone="bad">{en.admin.definitions.relaxes}</Badge>}
    </>
  );
}

/** A change in a few words: `field Tier added`. */
function sentenceOf({}: SignedIn, { kind, what, name }: ChangeColumn): string {
  const { kinds, whats } = en.admin.definitions;
  return `${whats[what] ?? what} ${name} ${kinds[kind] ?? kind}`;
}
