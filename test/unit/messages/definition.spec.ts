import { faultsOf } from '../definitions/checked.js';

const file = (step: string, channels = '[{ id: ops, type: slack, url: "{{secret.OPS}}" }]'): string => `
workspace: { id: acme }
channels: ${channels}
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Owner, type: person }, { name: Note, type: text }]
    roles: [{ id: lead, name: Lead, actions: [tell] }]
    actions:
      - { id: tell, name: Tell, steps: [${step}] }
`;
const mail = (to: string, more = ''): string =>
  `{ name: Tell, type: send_email, to: ${to}, subject: s, body: b${more} }`;
const post = (channel: string): string => `{ name: Tell, type: post_message, channel: ${channel}, text: t }`;

// Rule (time.md 8): what names an unknown field, role or channel is refused with its place.
describe('messages in a definition', () => {
  it.each([
    ['an address', mail('ada@acme.test')],
    ['a template', mail('"{{Assigned To}}"')],
    [
      'a field, a role and an address',
      mail('[{ field: Owner }, { role: lead }, a@b.test]', ', reply_to: c@d.test'),
    ],
    ['a channel', post('ops')],
  ])('may go to %s', (_, step) => {
    expect(faultsOf(file(step))).toEqual([]);
  });

  it.each([
    [mail('ada'), 'to: is not an e-mail address'],
    [mail('"{{Ower}}"'), 'to: names an unknown field of workflow cases: {{Ower}}; did you mean Owner?'],
    [mail('[a@b.test, { field: Note }]'), 'to[1].field: is neither a person field nor an email field: Note'],
    [mail('{ role: leader }'), 'to.role: is not a role of workflow cases: leader; did you mean lead?'],
    [mail('{ field: Owner, role: lead }'), 'to: '],
    [mail('[]'), 'to: is empty'],
    [mail('a@b.test').replace('subject: s', 'subject: "\\u2060 "'), 'subject: is empty'],
    [post('ops').replace('text: t', 'text: " "'), 'text: is empty'],
    ['{ name: Say, type: comment, text: "\\u00a0" }', 'text: is empty'],
    [mail('a@b.test', ', reply_to: "{{Owner}}"'), 'reply_to: is not an e-mail address'],
    [
      mail('a@b.test').replace('body: b', 'body: "{{secret.X}}"'),
      'body: contains a secret, which only a text that is sent by HTTP can contain',
    ],
    [mail('a@b.test', ', attach: [Note]'), 'attach[0]: is not a file field: Note'],
    [
      mail('a@b.test', ', attach: [Noet]'),
      'attach[0]: is not a field of workflow cases: Noet; did you mean Note?',
    ],
    [post('opss'), 'channel: is not a channel of this workspace: opss; did you mean ops?'],
  ])('is refused with its place: %s', (step, fault) => {
    expect(faultsOf(file(step)).join('\n')).toContain(`actions[0].steps[0].${fault}`);
  });

  it('checks the URLs of channels', () => {
    const channel = (url: string): string => file(post('ops'), `[{ id: ops, type: slack, url: '${url}' }]`);
    for (const url of ['https://a.test/{{secret.A}}', 'https://{{secret.A}}.test', '{{secret.A}}'])
      expect(faultsOf(channel(url))).toEqual([]);
    for (const url of ['ftp://a.test', 'https://u:p@a.test', 'nowhere', 'https://a.test/{{ID}}'])
      expect(faultsOf(channel(url))).toHaveLength(1);
  });

  // Rule (time.md 5): without SMTP apply refuses steps with mail and names the setting.
  it('needs a mail server for mail only', () => {
    const message = 'needs a mail server: set WTS_SMTP_URL';
    const asks = [expect.stringContaining(message)];
    expect(faultsOf(file(mail('a@b.test')), { known: { hasMail: false } })).toEqual(asks);
    expect(faultsOf(file(post('ops')), { known: { hasMail: false } })).toEqual([]);
  });
});
