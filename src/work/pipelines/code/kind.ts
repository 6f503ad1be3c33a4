import type { WorkKindDefinition } from '../pipelines.ts'
import { codePipeline } from './code.ts'
import { codeKindPhrases } from './phrases.ts'

export const codeKind: WorkKindDefinition<'code'> = {
  name: 'code',
  makes: codeKindPhrases.makes,
  open: ({ confine }) => codePipeline(confine),
}
