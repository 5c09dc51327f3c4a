import { ChecklistsController } from './checklists.controller.js';
import { empty, json, parameters, listOf, ref } from '../openapi/vocabulary.js';
import { WriteQuery } from '../http/silence.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import {
  ChecklistItemsQuery,
  ChecklistItemUpdate,
  NewChecklistItem,
  ChecklistItem,
} from './checklist-item.dto.js';

export const describeChecklists = (): OperationGroup =>
  describe(
    ChecklistsController,
    {
      name: 'Checklists',
      description: 'The checklist of a task.',
      models: [ChecklistItem, NewChecklistItem, ChecklistItemUpdate],
    },
    {
      list: {
        id: 'listChecklistItems',
        summary: 'List the items',
        description:
          'Items of the template come first, then those that were added, in the order of their creation.',
        query: ChecklistItemsQuery,
        answers: { 200: json('The items.', listOf(ref('ChecklistItem'))) },
      },
      read: {
        id: 'readChecklistItem',
        summary: 'Read an item',
        description: 'One item by its id.',
        answers: { 200: json('The item.', 'ChecklistItem') },
      },
      add: {
        id: 'addChecklistItem',
        summary: 'Add an item',
        description: 'Adds an item after all others. It is `editable`; items of the template are not.',
        query: WriteQuery,
        parameters: [parameters.idempotencyKey],
        body: { type: 'application/json', schema: ref('NewChecklistItem') },
        answers: { 201: json('The item.', 'ChecklistItem', ['Location', 'Event-Id']) },
        refusals: ['409', '413', '415'],
      },
      change: {
        id: 'changeChecklistItem',
        summary: 'Change an item',
        description:
          'Keys that the body does not name stay unchanged. In an item of the template, only `status` and `Assigned To` can change.',
        query: WriteQuery,
        body: { type: 'application/json', schema: ref('ChecklistItemUpdate') },
        answers: { 200: json('The item.', 'ChecklistItem', ['Event-Id']) },
        refusals: ['413', '415'],
      },
      remove: {
        id: 'removeChecklistItem',
        summary: 'Remove an added item',
        description: 'Deletes an item that was added to the task; 422 for an item of the template.',
        query: WriteQuery,
        answers: { 204: empty('The item was deleted.', ['Event-Id']) },
      },
    },
  );
