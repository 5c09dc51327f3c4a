export interface Stage {
  readonly id: number;
  readonly name: string;
  readonly isEnd: boolean;
}

/** The stages of a workflow, in order, with the one that new tasks enter. */
export class Stages {
  private readonly byName: ReadonlyMap<string, Stage>;
  private readonly byId: ReadonlyMap<number, Stage>;

  constructor(
    readonly all: readonly Stage[],
    readonly initial: Stage,
  ) {
    this.byName = new Map(all.map((stage) => [stage.name, stage]));
    this.byId = new Map(all.map((stage) => [stage.id, stage]));
  }

  named(name: string): Stage | undefined {
    return this.byName.get(name);
  }

  /** The stage of this id; throws when the workflow has none such, as a foreign key makes impossible. */
  get(id: number): Stage {
    const stage = this.byId.get(id);
    if (!stage) throw new Error(`no stage ${id}`);
    return stage;
  }
}
