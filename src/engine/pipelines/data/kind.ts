import type { KindOfWork } from '../pipelines.ts'
import { dataPipeline } from './data.ts'
import { dataKindWords } from './words.ts'

export const dataKind: KindOfWork<'data'> = {
  name: 'data',
  makes: dataKindWords.makes,
  readsFiles: true,
  open: ({ documents, confineData }) => dataPipeline(documents, confineData),
}
