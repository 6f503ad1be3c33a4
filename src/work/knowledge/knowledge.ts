/** The knowledge of a project: texts, documents and pages that its models may search and cite (docs/decisions/work/knowledge.md). */
import type { Job } from '#platform/jobs'
import type { KnowledgeApp } from './app.ts'
import { embedJob } from './embed/embed-source.ts'
import { indexJob } from './index/index-source.ts'
import { routes } from './routes.ts'

export type { KnowledgeApp } from './app.ts'
export { knowledgeHolding } from './holding.ts'
export { recall, requireKnowledge } from './recall.ts'

/** The knowledge of a project: texts, documents and pages that its models may cite. */
export const knowledge = {
  name: 'knowledge',
  routes,
  jobs: [indexJob as Job<never, KnowledgeApp>, embedJob as Job<never, KnowledgeApp>],
}
