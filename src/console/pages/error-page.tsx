import { type VNode } from 'preact';
import { Bare, ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { type Reader, type SignedIn } from '../reader.js';

/** A page that says why the wanted one cannot be shown. */
export function ErrorPage({ to, reader, status, requestId }: ErrorPageProps): VNode {
  const { errors } = to.words;
  const title = errors.title[status] ?? errors.title['other'] ?? '';
  const more = errors.more[status];
  const content = (
    <Empty icon={status === 403 ? 'lock' : status === 404 ? 'search' : 'warning'} title={title} isPage>
      {more ?? errors.more['other']} {more === undefined && <code>{requestId}</code>}
      <br />
      <a class="button" href="/">
        {errors.home}
      </a>
    </Empty>
  );
  return reader ? (
    <ConsolePage to={reader} title={title}>
      {content}
    </ConsolePage>
  ) : (
    <Bare to={to} title={title}>
      {content}
    </Bare>
  );
}

interface ErrorPageProps {
  readonly to: Reader;
  /** Where somebody is signed in. */
  readonly reader: SignedIn | undefined;
  readonly status: number;
  /** By which the log is found. */
  readonly requestId: string;
}
