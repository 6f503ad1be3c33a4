/** Every kind of models. A new one is a folder beside these and a line in this list. */
import type { TUnsafe } from 'typebox'
import { type ConfigNode, variantsOf } from '#platform/config'
import { audio } from './audio/audio.ts'
import { embedding } from './embedding/embedding.ts'
import { image } from './image/image.ts'
import type { ModelKind } from './kind.ts'
import { realtime } from './realtime/realtime.ts'
import { text } from './text/text.ts'
import { transcription } from './transcription/transcription.ts'
import { video } from './video/video.ts'

// Defaults are made in this order: realtime comes last, since its default may be made of those before it.
const all = [text, image, audio, video, transcription, embedding, realtime] as const

/** A model of any kind, as the catalogue lists it; `kind` tells which. */
export type AnyModel = ReturnType<(typeof all)[number]['modelOf']>
/** A model of one kind. */
export type ModelOf<Kind extends AnyModel['kind']> = Extract<AnyModel, { kind: Kind }>
/** A model of the configuration file. */
export type ModelEntry = ReturnType<(typeof all)[number]['readEntry']>

/** All kinds, for rooms that work with every one of them. */
export interface Kinds {
  readonly all: readonly ModelKind[]
  /** The kind of a model, or of an entry; asserts that there is one. */
  of(model: { kind: string }): ModelKind
  /** The schema of an entry of the file; the kind is text where the entry states none. */
  readonly entry: TUnsafe<{ kind?: string }>
  readEntry(typed: { kind?: string }, node: ConfigNode): ModelEntry
}

/** The kinds by their names; further kinds may be given, as tests do. */
export function openKinds(more: readonly ModelKind[] = []): Kinds {
  const kinds = [...(all as readonly unknown[] as readonly ModelKind[]), ...more]
  const of = (kind: string): ModelKind => {
    const found = kinds.find((one) => one.kind === kind)
    if (!found) throw new Error(`there are no models of the kind ${kind}`)
    return found
  }
  return {
    all: kinds,
    of: ({ kind }) => of(kind),
    entry: variantsOf('kind', text.kind, Object.fromEntries(kinds.map((one) => [one.kind, one.entry]))),
    readEntry: (typed, node) => of(typed.kind ?? text.kind).readEntry(typed, node) as ModelEntry,
  }
}
