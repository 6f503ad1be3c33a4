import type { KindOfWork } from '../pipelines.ts'
import { dataPipeline } from './data.ts'
import { dataKindPhrases } from './phrases.ts'

export const dataKind: KindOfWork<'data'> = {
  name: 'data',
  makes: dataKindPhrases.makes,
  readsFiles: true,
  open: ({ documents, confineData }) => dataPipeline(documents, confineData),
}
