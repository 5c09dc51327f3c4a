import { ChecklistsController } from '../../checklists/checklists.controller.js';
import { empty, json } from '../answers.js';
import { describe } from '../describe.js';
import { type Group } from '../operation.js';
import { parameters } from '../parameters.js';
import { listOf, ref } from '../schema.js';

export const describeChecklists = (): Group =>
  describe(
    ChecklistsController,
    { name: 'Checklists', description: 'The checklist of a task.' },
    {
      list: {
        id: 'listChecklistItems',
        summary: 'List the items',
        parameters: [parameters.itemStage],
        answers: { 200: json('The items.', listOf(ref('ChecklistItem'))) },
      },
      read: {
        id: 'readChecklistItem',
        summary: 'Read an item',
        answers: { 200: json('The item.', 'ChecklistItem') },
      },
      add: {
        id: 'addChecklistItem',
        summary: 'Add an item',
        parameters: [parameters.idempotencyKey],
        body: { type: 'application/json', schema: ref('NewChecklistItem') },
        answers: { 201: json('The item.', 'ChecklistItem') },
        refusals: ['409', '413', '415'],
      },
      change: {
        id: 'changeChecklistItem',
        summary: 'Change an item',
        body: { type: 'application/json', schema: ref('ChecklistItemUpdate') },
        answers: { 200: json('The item.', 'ChecklistItem') },
        refusals: ['413', '415'],
      },
      remove: {
        id: 'removeChecklistItem',
        summary: 'Remove an item that is not of the template',
        answers: { 204: empty('It is gone.') },
      },
    },
  );
