import type { WorkKindDefinition } from '../pipelines.ts'
import { documentPipeline } from './document.ts'
import { documentKindPhrases } from './phrases.ts'

export const documentKind: WorkKindDefinition<'document'> = {
  name: 'document',
  makes: documentKindPhrases.makes,
  open: ({ documents }) => documentPipeline(documents),
}
