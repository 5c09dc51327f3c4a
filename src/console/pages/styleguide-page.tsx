import { type ComponentChildren, type VNode } from 'preact';
import { Bare } from '../layout.js';
import { Avatar, Person } from '../parts/avatar.js';
import { Badge, StageBadge } from '../parts/badge.js';
import { Dialog, opens } from '../parts/dialog.js';
import { Empty } from '../parts/empty.js';
import { Faults } from '../parts/form.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Table } from '../parts/table.js';
import { Day, Instant } from '../parts/time.js';
import { type Reader } from '../reader.js';

const icons: readonly IconName[] = ['inbox', 'board', 'list', 'search', 'plus', 'check', 'cross', 'dash', 'menu', 'edit', 'clip', 'link', 'person', 'clock', 'warning', 'arrow', 'lock', 'settings', 'logout', 'history', 'comment']; // prettier-ignore
const people = ['Mina Ray', 'Theo Voss', 'Ines Mora', 'Åsa Öberg', 'Li', 'Bartholomew Featherstonehaugh'].map(
  (name, index) => {
    const [firstName = '', lastName = ''] = name.split(' ');
    return {
      id: name,
      email: `${firstName.toLowerCase()}@acme.test`,
      firstName,
      lastName,
      active: index !== 3,
    };
  },
);

/** Every part in every state, in both languages' longest words. */
export function StyleguidePage({ to }: { readonly to: Reader }): VNode {
  return (
    <Bare to={to} title="Styleguide">
      <div class="styleguide">
        <h1>Styleguide</h1>
        <Part name="Type">
          <h1>Heading 1: a page</h1>
          <h2>Heading 2: a section</h2>
          <p>
            Text, with a <a href="#link">link</a>, <code>code</code> and <small>small print</small>.
          </p>
          <p class="muted">Muted text</p>
        </Part>
        <Part name="Buttons">
          <div class="actions">
            <button class="primary">Primary</button>
            <button>Plain</button>
            <button class="quiet">Quiet</button>
            <button class="danger">Danger</button>
            <button disabled>Disabled</button>
            <button aria-busy="true">Busy</button>
          </div>
        </Part>
        <Part name="Badges and stages">
          <div class="actions">
            <Badge>plain</Badge>
            <Badge tone="accent">accent</Badge>
            <Badge tone="good">Success</Badge>
            <Badge tone="bad">Fail</Badge>
            <Badge tone="waiting">Pending</Badge>
          </div>
          <div class="actions">
            {['New', 'In Review', 'Genehmigungsverfahren', 'Approved', 'Withdrawn'].map((name, place) => (
              <StageBadge
                stage={{ name, isEnd: place > 2, outcome: place === 4 ? 'dropped' : 'done' }}
                place={place}
                count={5}
              />
            ))}
          </div>
        </Part>
        <Part name="People">
          <div class="actions">
            {people.map((user) => (
              <Person user={user} />
            ))}
          </div>
          <div class="actions">
            {people.map((user) => (
              <Avatar user={user} label={user.email} />
            ))}
          </div>
        </Part>
        <Part name="Icons">
          <div class="actions">
            {icons.map((name) => (
              <Icon name={name} />
            ))}
          </div>
        </Part>
        <Part name="Controls">
          <div class="control">
            <label for="s-text">Text</label>
            <input id="s-text" value="Harbour Freight" />
          </div>
          <div class="control">
            <label for="s-bad">Refused</label>
            <input id="s-bad" value="twelve" aria-invalid="true" aria-describedby="s-bad-fault" />
            <Faults id="s-bad-fault" messages={['is not a number']} />
          </div>
          <div class="control">
            <label for="s-select">Select</label>
            <select id="s-select">
              <option>Low</option>
              <option>High</option>
            </select>
          </div>
          <div class="control">
            <label for="s-area">Long text</label>
            <textarea id="s-area" rows={3}>
              One line{'\n'}and another
            </textarea>
          </div>
          <label class="tick">
            <input type="checkbox" checked /> International
          </label>
        </Part>
        <Part name="Table and times">
          <Table
            caption="Invoices"
            head={['Invoice', 'Due', 'Changed']}
            rows={['INV-1', 'INV-2'].map((id) => [
              id,
              <Day day="2026-03-31" to={to} />,
              <Instant
                at={new Date('2026-03-31T16:00:00Z')}
                to={{ ...to, timeZone: 'UTC', now: new Date('2026-04-02T16:00:00Z') }}
                isShort
              />,
            ])}
          />
        </Part>
        <Part name="Empty">
          <Empty icon="inbox" title="Nothing is assigned to you">
            What is assigned to you appears here.
          </Empty>
        </Part>
        <Part name="Dialog">
          <a class="button" href="#dialog" {...opens('s-dialog')}>
            Open
          </a>
          <Dialog
            id="s-dialog"
            title="Approve this vendor?"
            words={to.words}
            back="#dialog"
            answer={<button class="primary">Approve</button>}
          >
            <p class="muted">Harbour Freight</p>
          </Dialog>
        </Part>
      </div>
    </Bare>
  );
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <section>
      <h2 class="part-name">{name}</h2>
      {children}
    </section>
  );
}
