import type { KindOfWork } from '../pipelines.ts'
import { codePipeline } from './code.ts'
import { codeKindWords } from './words.ts'

export const codeKind: KindOfWork<'code'> = {
  name: 'code',
  makes: codeKindWords.makes,
  open: ({ confine }) => codePipeline(confine),
}
