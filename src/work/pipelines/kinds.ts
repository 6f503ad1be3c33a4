import type { ConfinedRunner } from '#platform/confined'
import type { Documents } from '#work/documents'
import { codeKind } from './code/kind.ts'
import { dataKind } from './data/kind.ts'
import { documentKind } from './document/kind.ts'
import type { Pipeline, Pipelines } from './pipelines.ts'
import { researchKind } from './research/kind.ts'

/** All kinds of work, in the order of the documentation. */
export const workKinds = [researchKind, documentKind, codeKind, dataKind] as const

export type WorkKind = (typeof workKinds)[number]['name']

export interface PipelinesOptions {
  documents: Documents
  confine: ConfinedRunner
  /** Confinement for files of data, with more memory and time. Default: `confine`. */
  confineData?: ConfinedRunner
}

/** The pipelines of all kinds. */
export function openPipelines({ documents, confine, confineData = confine }: PipelinesOptions): Pipelines {
  const options = { documents, confine, confineData }
  return pipelinesOf((kind) => kind.open(options))
}

/** One pipeline for each kind. */
export const pipelinesOf = (open: (kind: (typeof workKinds)[number]) => Pipeline): Pipelines =>
  Object.fromEntries(workKinds.map((kind) => [kind.name, open(kind)])) as Pipelines
