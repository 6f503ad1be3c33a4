import type { WorkKindDefinition } from '../pipelines.ts'
import { researchKindPhrases } from './phrases.ts'
import { researchPipeline } from './research.ts'

export const researchKind: WorkKindDefinition<'research'> = {
  name: 'research',
  makes: researchKindPhrases.makes,
  deeper: researchKindPhrases.deeper,
  open: ({ documents }) => researchPipeline(documents),
}
