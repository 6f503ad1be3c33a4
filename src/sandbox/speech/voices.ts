/** A voice of the synthesiser: how high it speaks, how long its vocal tract is, how fast and how breathy it is. */
export interface Voice {
  readonly id: string
  /** Fundamental frequency in the middle of a statement, in Hz. */
  readonly pitchHz: number
  /** Factor of all resonances: 1 is a man's vocal tract of about 17 cm; shorter tracts resonate higher. */
  readonly formantScale: number
  /** Factor of all durations. */
  readonly pace: number
  /** Share of breath in the glottal source, from 0 to 1. */
  readonly breath: number
}

export const voices: readonly Voice[] = [
  { id: 'sandbox-mina', pitchHz: 196, formantScale: 1.14, pace: 1, breath: 0.1 },
  { id: 'sandbox-kian', pitchHz: 112, formantScale: 1, pace: 1.04, breath: 0.05 },
]
