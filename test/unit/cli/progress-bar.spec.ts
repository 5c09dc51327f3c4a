import { atOneMoment } from '../../support/stopped-time.js';
import { outOf, progressBar } from '../../../src/cli/terminal.js';

/** A stream that keeps what is written to it. */
function stream(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  return { stream, text: () => written.join('') };
}

describe('progressBar', () => {
  it('shows what takes longer than a second, on a terminal only, and takes itself away', async () => {
    const [terminal, file] = [stream(true), stream(false)];
    const bars = [progressBar(terminal.stream), progressBar(file.stream)];
    for (const bar of bars) bar.show(0.25, 'moving tasks');
    expect(terminal.text()).toBe('');
    await atOneMoment(async () => {
      for (const bar of bars) bar.show(0.25, outOf(1000, 4000, 'tasks'));
      expect(terminal.text()).toMatch(/^\r\u001b\[2K█{8}░{22} 25 % {2}1,000 of 4,000 tasks$/);
      for (const bar of bars) bar.tell('one is wrong');
      expect(terminal.text()).toMatch(/ tasks\r\u001b\[2Kone is wrong\n$/);
      for (const bar of bars) bar.show(0.5, 'tasks');
      for (const bar of bars) bar.clear();
      expect(terminal.text()).toMatch(/wrong\n\r\u001b\[2K█{15}░{15} 50 % {2}tasks\r\u001b\[2K$/);
      return Promise.resolve();
    }, 1050);
    expect(file.text()).toBe('one is wrong\n');
  });
});
