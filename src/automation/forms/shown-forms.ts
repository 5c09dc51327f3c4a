import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsNull } from 'typeorm';
import { type ShownKind } from '../../workflows/model/shown-kind.js';
import { type FormDefinition, isOpenOn, todayOf } from './form-definition.js';
import { addToken, formStatesOf, placeOf } from './forms.repository.js';
import { forms } from './forms.kind.js';
import { QuarantinedPostEntity } from './form.entity.js';

@ApiSchema({ name: 'Form' })
export class ListedForm {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({ format: 'uri', description: 'The newest address of the form’s page.' })
  readonly url!: string;

  @ApiProperty({ description: 'Whether the form is open today.' })
  readonly open!: boolean;

  @ApiProperty({ type: 'integer', description: 'How many tasks the form has created today.' })
  readonly today!: number;

  @ApiProperty({ type: 'integer', description: 'How many posts wait in quarantine.' })
  readonly quarantined!: number;
}

@ApiSchema({ name: 'QuarantinedPost' })
export class ShownPost {
  @ApiProperty({ description: 'Identifies the post.' })
  readonly id!: string;

  @ApiProperty({ description: 'The reference that the sender saw.' })
  readonly reference!: string;

  @ApiProperty({ format: 'date-time', description: 'When the service received the post.' })
  readonly received_at!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The values that were sent. A file field has the names of its files.',
  })
  readonly values!: object;
}

/** How the API, the command line and the console show the forms of a workflow and operate on them. */
export const shownForms: ShownKind<FormDefinition, ListedForm> = {
  ...forms,
  shown: ListedForm,
  isForAdmin: true,
  async show(db, { workflow }, _known, address) {
    const today = todayOf(workflow);
    const states = await formStatesOf(db, workflow.workspaceId);
    return forms.in(workflow).flatMap((form) => {
      const state = states.find(({ workflowId, formId }) => workflowId === workflow.id && formId === form.id);
      if (!state) return [];
      const { tokens, created, day, quarantined } = state;
      const url = `${address}/f/${tokens.at(-1) ?? ''}`;
      const open = isOpenOn(form, today);
      return [{ id: form.id, url, open, today: day === today ? created : 0, quarantined }];
    });
  },
  facts: ({ url, open, today, quarantined }) => ({
    Address: url,
    'Open today': open,
    'Tasks created today': today,
    'Posts in quarantine': quarantined,
  }),
  columns: ['Posts in quarantine'],
  operations: {
    rotate: {
      title: 'Give a form another address',
      button: 'Replace all addresses',
      asks: true,
      description: 'All former addresses answer 404 from now on.',
      run: (tx, { id }, { workflow }) => addToken(tx, placeOf(workflow, id), true),
    },
    add: {
      title: 'Give a form a further address',
      button: 'Add an address',
      description: 'The former addresses stay valid, but a form keeps only its 20 newest addresses.',
      run: (tx, { id }, { workflow }) => addToken(tx, placeOf(workflow, id), false),
    },
    discard: {
      title: 'Discard the posts in a form’s quarantine',
      button: 'Empty the quarantine',
      asks: true,
      description: 'All posts in quarantine are deleted.',
      async run(tx, { id }, scope) {
        await tx.delete(QuarantinedPostEntity, { ...placeOf(scope.workflow, id), acceptedAt: IsNull() });
      },
    },
  },
};
