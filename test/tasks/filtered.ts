import { everyType } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { clientOf, open, tasks } from './lists.js';

/** A workspace whose users and options have an order that is neither that of the alphabet nor of its reverse. */
export const definition = everyType
  .replace('gone@acme.test, active: false', 'Zoe@acme.test')
  .replace('[Gold, Silver]', '[Gold, Silver, Bronze]');

/** For each field whose values are ordered, three values in that order, one of each task. */
export const ordered: [name: string, one: string, two: string, three: string][] = [
  // By code point: UTF-16 would put the smile first, a dictionary the zebra last.
  ['Text', 'Zebra', 'ﬁn', '😀'],
  ['Long Text', '1\n2', '10', '9'],
  ['Phone', '+1 555 0100', '020 7946 0000', '911'],
  ['E-mail', 'Zoe@acme.test', 'anna@acme.test', 'éva@acme.test'],
  ['Website', 'http://z.test/', 'https://B.test/', 'https://a.test/'],
  ['Number', '-2', '9', '10.5'],
  ['Price', '9.5', '10', '12345678901234567890'],
  ['Day', '0999-12-31', '2026-02-03', '2026-10-01'],
  ['Moment', '2026-02-03T01:00:00+02:00', '2026-02-03T00:00:00Z', '2026-02-02T23:30:00-02:00'],
  // By option, in the order of the definition.
  ['Tier', 'Gold', 'Silver', 'Bronze'],
  // By e-mail.
  ['Owner', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
  ['Assigned To', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
];

/** A client of the workspace acme, which has the tasks one, two, three and none. */
export let api: Client;

export async function openFiltered(): Promise<void> {
  await open();
  api = await clientOf('acme', definition);
  for (const [index, ID] of ['one', 'two', 'three'].entries())
    await api
      .post(tasks, {
        ID,
        ...Object.fromEntries(ordered.map(([name, ...values]) => [name, values[index]])),
        Stage: ['New', 'In Review', 'Done'][index],
        Regions: [['EMEA'], ['EMEA', 'AMER'], ['APAC', 'AMER']][index],
        'Open?': index === 2,
      })
      .expect(201);
  await api.post(tasks, { ID: 'none' }).expect(201);
}
