import type { Documents } from '#engine/documents'
import type { Confine } from '#engine/tools'
import type { Pipelines } from './agent.ts'
import { codePipeline } from './code/code.ts'
import { dataPipeline } from './data/data.ts'
import { documentPipeline } from './document/document.ts'
import { researchPipeline } from './research/research.ts'

export interface PipelinesAsk {
  documents: Documents
  confine: Confine
}

/** The pipelines of all kinds. */
export function openPipelines({ documents, confine }: PipelinesAsk): Pipelines {
  return {
    research: researchPipeline(documents),
    document: documentPipeline(documents),
    code: codePipeline(confine),
    data: dataPipeline(documents, confine),
  }
}
