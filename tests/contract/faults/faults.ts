/** What goes wrong at an upstream, and what it comes to. */
import { cut, json, reset, type Script, silence, stall } from '../../harness/upstream.ts'
import type { Wire } from './wires.ts'

/**
 * `lost`: it may have been made, so it is the platform's loss and never ordered again. `free`: it surely was not, so that a repeat orders it.
 * `made`: it was asked for again by itself.
 */
export type Outcome = 'lost' | 'free' | 'made'

export interface Fault {
  script(wire: Wire): Script
  outcome: Outcome
  /** The upstream has answered, with something in place of the medium. */
  isAnswered?: boolean
  /** What is in place of the medium stands in the envelope of its wire. */
  isOfMedium?: boolean
  /** The upstream has answered that it failed, whatever it had made by then. */
  isError?: boolean
  /** What was asked for is refused. */
  isOfContent?: boolean
  /** Nothing ends it but the timeout of the call. */
  isEndless?: boolean
}

const inPlace = { outcome: 'lost', isAnswered: true } as const
const within = { ...inPlace, isOfMedium: true } as const

export const faults: Record<string, Fault> = {
  'its reply is lost': { script: () => reset, outcome: 'lost' },
  'an error page comes in its place': {
    ...inPlace,
    script: (wire) => wire.page('<!DOCTYPE html><title>502</title>'),
  },
  'an empty answer comes': { ...inPlace, script: (wire) => wire.page('') },
  'it holds nothing': { ...within, script: (wire) => wire.holding(Buffer.alloc(0)) },
  'it holds a page': {
    ...within,
    script: (wire) => wire.holding(Buffer.from(`<!doctype html><html>${'x'.repeat(300)}</html>`)),
  },
  'it holds half of the bytes': {
    ...within,
    script: (wire) => wire.holding(wire.medium.subarray(0, wire.medium.length / 2)),
  },
  'the line breaks within it': { ...inPlace, script: (wire) => wire.begun(cut) },
  'no answer begins': { script: () => silence, outcome: 'lost', isEndless: true },
  'it begins and never ends': { script: (wire) => wire.begun(stall), outcome: 'lost', isEndless: true },
  'the upstream fails': { script: () => json(500, 'oops'), outcome: 'lost', isError: true },
  'our key is refused': { script: () => json(401, { error: { message: 'no' } }), outcome: 'free' },
  'the content is refused': {
    script: ({ refused = json(400, { error: { message: 'no', code: 'moderation_blocked' } }) }) => refused,
    outcome: 'free',
    isOfContent: true,
  },
  'the upstream has no time': {
    script: () => json(429, 'slow down', { 'retry-after': '0' }),
    outcome: 'made',
  },
}
