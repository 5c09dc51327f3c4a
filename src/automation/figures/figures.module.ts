import { Module } from '@nestjs/common';
import { type BulkFollower } from '../../events/follower.js';
import { FiguresController } from './figures.controller.js';
import { FiguresService } from './figures.service.js';
import { FlowDayEntity, LengthDayEntity, StageVisitEntity } from './stage-visit.entity.js';
import { followStages } from './visits.repository.js';

@Module({ controllers: [FiguresController], providers: [FiguresService], exports: [FiguresService] })
export class FiguresModule {}

/** Stores the visits of tasks to stages. For each day, counts the moves and the visits of each length. */
const figuresFollower: BulkFollower = {
  name: 'figures',
  wants: () => true,
  followAll: followStages,
};

export const figuresFeature = {
  entities: [StageVisitEntity, FlowDayEntity, LengthDayEntity],
  followers: [figuresFollower],
  modules: [FiguresModule],
};
