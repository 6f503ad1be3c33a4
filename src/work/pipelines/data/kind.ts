import type { WorkKindDefinition } from '../pipelines.ts'
import { dataPipeline } from './data.ts'
import { dataKindPhrases } from './phrases.ts'

export const dataKind: WorkKindDefinition<'data'> = {
  name: 'data',
  makes: dataKindPhrases.makes,
  readsFiles: true,
  open: ({ documents, confineData }) => dataPipeline(documents, confineData),
}
