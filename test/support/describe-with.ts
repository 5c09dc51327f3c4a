/** Tests that need a program, which are left out, and say so, where it is not; with CI set they fail instead. */
export function describeWith(isThere: boolean, name: string, program: string, tests: () => void): void {
  if (isThere) describe(name, tests);
  else if (process.env['CI'])
    it(`${name}: there is no ${program}`, () => {
      throw new Error(`install ${program}`);
    });
  else describe.skip(`${name} (left out: there is no ${program})`, tests);
}
