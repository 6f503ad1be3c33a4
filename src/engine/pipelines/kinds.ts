import type { Documents } from '#engine/documents'
import type { Confine } from '#platform/confined'
import { codePipeline } from './code/code.ts'
import { dataPipeline } from './data/data.ts'
import { documentPipeline } from './document/document.ts'
import type { Pipelines } from './pipelines.ts'
import { researchPipeline } from './research/research.ts'

export interface PipelinesAsk {
  documents: Documents
  confine: Confine
  /** For whole files of data, which take more memory and more time; the other one where it is left out. */
  confineData?: Confine
}

/** The pipelines of all kinds. */
export function openPipelines({ documents, confine, confineData = confine }: PipelinesAsk): Pipelines {
  return {
    research: researchPipeline(documents),
    document: documentPipeline(documents),
    code: codePipeline(confine),
    data: dataPipeline(documents, confineData),
  }
}
