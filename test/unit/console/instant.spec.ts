import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { Instant } from '../../../src/console/parts/time.js';

it('How long ago something was is told by the clock of the service', () => {
  const to = { locale: 'en', timeZone: 'UTC', now: new Date('2030-01-02T12:00:00Z') };
  const html = render(h(Instant, { at: new Date('2030-01-02T09:00:00Z'), to, isShort: true }));
  expect(html).toContain('>3 hours ago<');
});
