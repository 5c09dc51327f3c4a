import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { Instant } from '../../../src/console/parts/time.js';
import { ReaderContext, type SignedIn } from '../../../src/console/reader.js';

it('shows how long ago something was, by the time of the service', () => {
  const reader = { locale: 'en', timeZone: 'UTC', now: new Date('2030-01-02T12:00:00Z'), session: {} };
  const html = render(
    h(
      ReaderContext.Provider,
      { value: reader as unknown as SignedIn },
      h(Instant, { at: new Date('2030-01-02T09:00:00Z'), isShort: true }),
    ),
  );
  expect(html).toContain('>3 hours ago<');
});
