import { jest } from '@jest/globals';
import { Dependency } from '../../../src/common/dependency.js';
import { createLogger } from '../../../src/common/logger.js';

interface Line {
  readonly level: string;
  readonly msg: string;
}

describe('something that the service relies on', () => {
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

  it('has one line when it goes and one when it is back, and none for what fails meanwhile', async () => {
    isThere = false;
    await dependency.logFailure(new Error('gone'), 'work failed');
    isThere = true;
    await jest.advanceTimersByTimeAsync(1000);
    expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
      'error: PostgreSQL is away: gone',
      'info: PostgreSQL is back',
    ]);
  });

  it('tells of failures while it is there', async () => {
    lines.length = 0;
    await dependency.logFailure(new Error('wrong'), 'work failed');
    expect(lines).toMatchObject([{ level: 'warn', msg: 'work failed' }]);
  });
});
