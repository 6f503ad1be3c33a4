import type { KindOfWork } from '../pipelines.ts'
import { documentPipeline } from './document.ts'
import { documentKindWords } from './words.ts'

export const documentKind: KindOfWork<'document'> = {
  name: 'document',
  makes: documentKindWords.makes,
  open: ({ documents }) => documentPipeline(documents),
}
