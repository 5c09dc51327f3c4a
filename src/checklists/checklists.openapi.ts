import { ChecklistsController } from './checklists.controller.js';
import { empty, json, parameters, listOf, ref } from '../openapi/vocabulary.js';
import { schemaOf } from '../openapi/described.js';
import { describe, type Group } from '../openapi/operation.js';
import { ChecklistItem } from './checklist-item.js';

export const describeChecklists = (): Group =>
  describe(
    ChecklistsController,
    {
      name: 'Checklists',
      description: 'The checklist of a task.',
      schemas: { ChecklistItem: schemaOf(ChecklistItem) },
    },
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
