import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entered, pdf, startForms } from './forms.js';

const example = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs/examples', `${name}.yaml`), 'utf8');

// Two domains say intake, and documents at intake, by the file alone.
it.each<[string, string, string, string, Entered]>([
  ['it-changes', 'it', 'changes', 'request', { Summary: 'New core switch', System: 'Network', Reason: 'The old one fails', 'Requested By': 'kim@acme.test', 'Back-Out Plan': pdf() }],
  ['small-business-loans', 'bank', 'loans', 'apply', { Business: 'Bakery Bauer', Amount: '25000', 'E-mail': 'bauer@acme.test', Consents: 'true', 'Annual Accounts': pdf() }],
])('%s takes what people outside send, with their documents', async (file, workspace, workflow, form, entered) => {
  const setting = await startForms(example(file), {}, { workspace, workflow });
  const page = await setting.open(await setting.path(form));
  const sent = await setting.send(entered, page);
  expect(sent.status).toBe(200);
  const reference = sent.html.querySelector('strong')?.text;
  const [task] = await setting.tasks();
  expect(Object.values(task ?? {})).toContain(reference);
  expect(JSON.stringify(task)).toContain('contract.pdf');
  await setting.service.stop();
}); // prettier-ignore
