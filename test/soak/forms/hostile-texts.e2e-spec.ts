import fc from 'fast-check';
import { hiddenIn, post, startForms } from '../../forms/forms.js';

const breakers = ['<script>alert(1)</script>', "'; DROP TABLE tasks; --", '{{ID}}', '{{random}}', '${7*7}', 'task["Risk"] == "High"', '=HYPERLINK("http://evil.test")', '+1+1', '@SUM(A1)', '-2+3', '\u0000', '\u0007\u001b[31m', '\u202e', '\ud800', '__proto__', 'constructor', '\r\nSet-Cookie: x=1', '%00', '../../etc/passwd', '"]}', '\\', 'x'.repeat(9000), '😀'.repeat(500), '[x](javascript:alert(1))', '<!--', ']]>']; // prettier-ignore
const hostile = fc.tuple(fc.constantFrom(...breakers), fc.nat(999), fc.constantFrom(...breakers)).map((parts) => parts.join(' ')); // prettier-ignore

it('hostile texts that people send by a form change only their own task', async () => {
  const setting = await startForms();
  const { service, api } = setting;
  const definition = async () => (await api.get('/api/v1/definition').expect(200)).body as unknown;
  const before = await definition();
  const [address, given] = [await setting.path(), new Set<string>()];
  const pages = await Promise.all(Array.from({ length: 40 }, () => setting.open(address)));
  await service.settle({ after: 5000 });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(hostile, fc.constantFrom(...pages), async (text, page) => {
      const typed = { 'Vendor Name': text, Website: 'https://nordwind.example', Note: text };
      const entered = { ...hiddenIn(page), ...typed, [text.slice(0, 50)]: text };
      const { status } = await post(service.app.getHttpServer(), page.path, entered);
      expect([200, 400, 409, 422, 429]).toContain(status);
      if (status === 200) taken += 1;
      given.add(text.trim().toWellFormed());
    }),
  );
  const made = await setting.tasks();
  expect(taken).toBeGreaterThan(0);
  expect(made).toHaveLength(taken);
  for (const task of made) {
    expect(given).toContain(task['Vendor Name']);
    expect(task).toMatchObject({ Risk: 'Low', Stage: 'New', Owner: null, 'Assigned To': null });
  }
  expect(await definition()).toEqual(before);
  await service.stop();
});
