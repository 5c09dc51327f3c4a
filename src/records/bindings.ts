/** The values of a statement in the making, each named in its text by the place it got here. */
export class Bindings {
  readonly values: unknown[];

  constructor(...first: readonly unknown[]) {
    this.values = [...first];
  }

  /** Takes one more value and returns its name: `$3`. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
