import type { KindOfWork } from '../pipelines.ts'
import { researchPipeline } from './research.ts'
import { researchKindWords } from './words.ts'

export const researchKind: KindOfWork<'research'> = {
  name: 'research',
  makes: researchKindWords.makes,
  deeper: researchKindWords.deeper,
  open: ({ documents }) => researchPipeline(documents),
}
