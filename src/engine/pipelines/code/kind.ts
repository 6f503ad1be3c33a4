import type { KindOfWork } from '../pipelines.ts'
import { codePipeline } from './code.ts'
import { codeKindPhrases } from './phrases.ts'

export const codeKind: KindOfWork<'code'> = {
  name: 'code',
  makes: codeKindPhrases.makes,
  open: ({ confine }) => codePipeline(confine),
}
