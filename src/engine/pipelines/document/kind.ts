import type { KindOfWork } from '../pipelines.ts'
import { documentPipeline } from './document.ts'
import { documentKindPhrases } from './phrases.ts'

export const documentKind: KindOfWork<'document'> = {
  name: 'document',
  makes: documentKindPhrases.makes,
  open: ({ documents }) => documentPipeline(documents),
}
