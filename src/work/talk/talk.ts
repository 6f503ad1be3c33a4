/** Talk: the conversations of people with models, private to each person (docs/decisions/work/talk.md). */
import type { Route } from '#platform/http'
import type { Job } from '#platform/jobs'
import type { AnswersApp } from './answers/app.ts'
import { answerRoutes } from './answers/routes.ts'
import { startAnswers } from './answers/start.ts'
import type { TalkApp } from './app.ts'
import { indexJob } from './index-words.ts'
import { recordRoutes } from './routes.ts'

export type { TalkApp } from './app.ts'
export { talkHolding } from './holding.ts'

export const talk = {
  name: 'talk',
  routes: [...recordRoutes, ...answerRoutes] as (Route<TalkApp> | Route<AnswersApp>)[],
  jobs: [indexJob as Job<never, TalkApp>],
  everywhere: startAnswers,
}
