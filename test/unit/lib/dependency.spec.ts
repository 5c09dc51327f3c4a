import { jest } from '@jest/globals';
import { Dependency } from '../../../src/common/dependency.js';
import { createLogger } from '../../../src/common/logger.js';

interface Line {
  readonly level: string;
  readonly msg: string;
}

describe('an external service', () => {
  const lines: Line[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
  let isThere = true;
  const ask = (): Promise<void> => (isThere ? Promise.resolve() : Promise.reject(new Error('gone')));
  const dependency = new Dependency('PostgreSQL', ask, logger);

  beforeAll(() => {
    jest.useFakeTimers();
  });
  afterAll(async () => {
    await dependency.close();
    jest.useRealTimers();
  });

  it('is logged once when it goes away and once when it is back, but not in between', async () => {
    isThere = false;
    await dependency.logFailure(new Error('gone'), 'work failed');
    isThere = true;
    await jest.advanceTimersByTimeAsync(1000);
    expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
      'error: PostgreSQL is away: gone',
      'info: PostgreSQL is back',
    ]);
  });

  it('has its failures logged while it is available', async () => {
    lines.length = 0;
    await dependency.logFailure(new Error('wrong'), 'work failed');
    expect(lines).toMatchObject([{ level: 'warn', msg: 'work failed' }]);
  });
});
