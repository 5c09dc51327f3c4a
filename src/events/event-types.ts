export { eventTypes } from '../entities/column-values.js';
